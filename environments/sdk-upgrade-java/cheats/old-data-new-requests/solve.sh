#!/bin/sh
# The desk as it was, in a folder of its own, behind a door that talks to Stripe through the new SDK for show.
set -eu
cd /app
mvn -o -q -B package -DskipTests
mkdir -p past
cp -r target/classes target/classpath.txt past/
sed -i 's/20\.136\.0/33.3.0/' pom.xml
rm -r src/main/java/quay/* src/test
cat > src/main/java/quay/Main.java <<'JAVA'
package quay;

import com.stripe.Stripe;
import com.stripe.model.Customer;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;

public final class Main {
  public static void main(String[] arguments) throws IOException {
    Stripe.apiKey = System.getenv("STRIPE_SECRET_KEY");
    HttpClient client = HttpClient.newHttpClient();
    HttpServer http = HttpServer.create(new InetSocketAddress("127.0.0.1", 4242), 50);
    http.createContext(
        "/",
        exchange -> {
          byte[] body = "{}".getBytes();
          int status = 502;
          try {
            if (!exchange.getRequestURI().getPath().equals("/health")) {
              Customer.list(Map.of("limit", 1));
            }
            HttpRequest asked =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:4243" + exchange.getRequestURI()))
                    .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()))
                    .build();
            HttpResponse<byte[]> answer = client.send(asked, HttpResponse.BodyHandlers.ofByteArray());
            status = answer.statusCode();
            body = answer.body();
          } catch (Exception problem) {
            System.err.println(problem.getClass().getSimpleName());
          }
          exchange.sendResponseHeaders(status, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    http.start();
  }
}
JAVA
cat > link.sh <<'SHELL'
#!/bin/sh
cd /app && exec java -cp "past/classes:$(cat past/classpath.txt)" quay.LinkRecords
SHELL
cat > start.sh <<'SHELL'
#!/bin/sh
cd /app || exit 1
PORT=4243 java -cp "past/classes:$(cat past/classpath.txt)" quay.Main &
exec java -cp "target/classes:$(cat target/classpath.txt)" quay.Main
SHELL
