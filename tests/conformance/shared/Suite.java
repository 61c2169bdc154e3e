package shared;

import com.stripe.StripeClient;
import com.stripe.exception.StripeException;
import com.stripe.model.Event;
import com.stripe.model.PaymentIntent;
import com.stripe.net.Webhook;
import com.stripe.param.WebhookEndpointCreateParams;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.Collectors;

/** What every Java program of the conformance suites does. */
public final class Suite {
  private static final String URL = System.getenv("TWIN_URL");

  public static StripeClient client(String key, int retries) {
    return StripeClient.builder().setApiKey(key).setApiBase(URL).setMaxNetworkRetries(retries).build();
  }

  public static final StripeClient stripe = client(System.getenv("SECRET_KEY"), 0);

  /** One journey; whatever it throws fails it. */
  public interface Scenario {
    void run() throws Exception;
  }

  public static void check(boolean ok, Object about) {
    if (!ok) throw new IllegalStateException(String.valueOf(about));
  }

  public static void equal(Object found, Object expected) {
    check(Objects.equals(found, expected), found + " is not " + expected);
  }

  /** The error that a call ends with; code and param are compared where given. */
  public static StripeException refused(Scenario call, Class<? extends StripeException> kind, int status, String code, String param)
      throws Exception {
    try {
      call.run();
    } catch (StripeException error) {
      check(kind.isInstance(error), "refused with " + error.getClass().getSimpleName() + ": " + error.getMessage());
      check(error.getStatusCode() == status, "status " + error.getStatusCode());
      if (code != null) check(code.equals(error.getCode()), "code " + error.getCode());
      if (param != null) check(param.equals(error.getStripeError().getParam()), "param " + error.getStripeError().getParam());
      return error;
    }
    throw new IllegalStateException("nothing was refused");
  }

  /** Prints {@code ok NAME} or {@code not ok NAME: why} for each. */
  public static void run(Map<String, Scenario> scenarios) {
    scenarios.forEach((name, scenario) -> {
      try {
        scenario.run();
        System.out.println("ok " + name);
      } catch (Throwable problem) {
        String where = Arrays.stream(problem.getStackTrace()).filter(frame -> frame.getClassName().endsWith("Scenarios"))
            .map(frame -> String.valueOf(frame.getLineNumber())).collect(Collectors.joining(" < "));
        System.out.println("not ok " + name + ": line " + where + ": " + problem.getClass().getSimpleName() + " "
            + String.valueOf(problem.getMessage()).replace("\n", " "));
      }
    });
    System.exit(0);
  }

  /** What the bank's page does when the customer confirms the challenge of an intent. */
  public static void authenticate(PaymentIntent intent) throws Exception {
    String query = URI.create(intent.getNextAction().getRedirectToUrl().getUrl()).getRawQuery();
    String source = Arrays.stream(query.split("&")).filter(part -> part.startsWith("source=")).findFirst().orElseThrow();
    String form = source + "&outcome=succeeded&client_secret=" + intent.getClientSecret() + "&key=" + System.getenv("PUBLISHABLE_KEY");
    HttpRequest request = HttpRequest.newBuilder(URI.create(URL + "/v1/3ds2/challenge_complete"))
        .header("Content-Type", "application/x-www-form-urlencoded").POST(HttpRequest.BodyPublishers.ofString(form)).build();
    equal(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).statusCode(), 200);
  }

  /** A webhook endpoint of one's own. */
  public static final class Inbox {
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

    public Inbox(WebhookEndpointCreateParams.EnabledEvent... types) throws Exception {
      this(false, types);
    }

    /** For events of connected accounts. */
    public static Inbox connect(WebhookEndpointCreateParams.EnabledEvent... types) throws Exception {
      return new Inbox(true, types);
    }

    private Inbox(boolean connect, WebhookEndpointCreateParams.EnabledEvent... types) throws Exception {
      HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      String secret = stripe.v1().webhookEndpoints().create(WebhookEndpointCreateParams.builder().setConnect(connect)
          .setUrl("http://127.0.0.1:" + server.getAddress().getPort() + "/hook").addAllEnabledEvent(List.of(types)).build()).getSecret();
      server.createContext("/hook", exchange -> {
        String body = new String(exchange.getRequestBody().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        int status = 200;
        try {
          events.add(Webhook.constructEvent(body, exchange.getRequestHeaders().getFirst("Stripe-Signature"), secret));
        } catch (StripeException wrong) {
          status = 400;
        }
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
      });
      server.start();
    }

    /** The next verified event of a type. */
    public Event wait(String type) throws InterruptedException {
      for (;;) {
        Event event = events.poll(30, TimeUnit.SECONDS);
        check(event != null, "no " + type + " came");
        if (event.getType().equals(type)) return event;
      }
    }
  }
}
