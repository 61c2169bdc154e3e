package quay;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.stripe.exception.StripeException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;

/** A small JSON server: addresses with {} in them, bodies that are objects. */
public final class Server {
  /** What is done when an address is asked. */
  public interface Handler {
    Object answer(Asked asked) throws StripeException;
  }

  private record Route(String method, String[] parts, int status, Handler handler) {}

  private static final Gson GSON = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

  private final List<Route> routes = new ArrayList<>();
  private HttpServer http;

  /** Answers such a request with this status. */
  public Server on(String method, String path, int status, Handler handler) {
    routes.add(new Route(method, path.split("/"), status, handler));
    return this;
  }

  public Server listen(String host, int port) throws IOException {
    http = HttpServer.create(new InetSocketAddress(host, port), 50);
    http.setExecutor(Executors.newFixedThreadPool(8));
    http.createContext("/", this::handle);
    http.start();
    return this;
  }

  public int port() {
    return http.getAddress().getPort();
  }

  public void stop() {
    http.stop(0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    String method = exchange.getRequestMethod();
    String path = exchange.getRequestURI().getRawPath();
    int status = 404;
    Object body = Answer.of("error", "no such address");
    for (Route route : routes) {
      List<String> parts = route.method().equals(method) ? match(route.parts(), path.split("/")) : null;
      if (parts == null) {
        continue;
      }
      try {
        body = route.handler().answer(new Asked(parts, query(exchange), bodyOf(exchange)));
        status = route.status();
      } catch (StripeException problem) {
        System.err.println(method + " " + path + ": " + problem.getClass().getSimpleName() + " " + problem.getCode());
        Refused refused = Refused.because(problem);
        status = refused.status();
        body = refused.body();
      } catch (Refused refused) {
        status = refused.status();
        body = refused.body();
      } catch (RuntimeException fault) {
        fault.printStackTrace();
        status = 500;
        body = Answer.of("error", "our fault");
      }
      break;
    }
    byte[] bytes = (GSON.toJson(body) + "\n").getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private static List<String> match(String[] wanted, String[] given) {
    if (wanted.length != given.length) {
      return null;
    }
    List<String> parts = new ArrayList<>();
    for (int place = 0; place < wanted.length; place++) {
      if (wanted[place].equals("{}")) {
        parts.add(decoded(given[place]));
      } else if (!wanted[place].equals(given[place])) {
        return null;
      }
    }
    return parts;
  }

  private static Map<String, String> query(HttpExchange exchange) {
    Map<String, String> found = new HashMap<>();
    String query = exchange.getRequestURI().getRawQuery();
    for (String pair : query == null ? new String[0] : query.split("&")) {
      String[] sides = pair.split("=", 2);
      found.put(decoded(sides[0]), sides.length > 1 ? decoded(sides[1]) : "");
    }
    return found;
  }

  private static JsonObject bodyOf(HttpExchange exchange) {
    try {
      String text = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      JsonElement body = JsonParser.parseString(text);
      return body.isJsonObject() ? body.getAsJsonObject() : new JsonObject();
    } catch (IOException | JsonParseException nonsense) {
      return new JsonObject();
    }
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
