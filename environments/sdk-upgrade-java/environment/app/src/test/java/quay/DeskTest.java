package quay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the desk answers by itself; nothing here talks to Stripe. */
class DeskTest {
  @TempDir Path folder;
  private Server server;

  @BeforeEach
  void open() throws IOException {
    Records records = new Records(folder.resolve("records.tsv"));
    records.writeLot("L-1", "Cod", "pi_1");
    server = new Desk(records).serve("127.0.0.1", 0);
  }

  @AfterEach
  void close() {
    server.stop();
  }

  private String ask(String method, String path, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    return answer.statusCode() + " " + answer.body().strip();
  }

  @Test
  void isThere() throws Exception {
    assertEquals("200 {\"ok\":true}", ask("GET", "/health", ""));
    assertEquals("404 {\"error\":\"no such address\"}", ask("GET", "/herring", ""));
  }

  @Test
  void lotsThatNobodyKnows() throws Exception {
    assertEquals("404 {\"error\":\"not found\"}", ask("GET", "/lots/L-0", ""));
    assertEquals("404 {\"error\":\"not found\"}", ask("POST", "/lots/L-0/returns", "{}"));
  }

  @Test
  void lotsAreSoldOnce() throws Exception {
    String again = "{\"lot\": \"L-1\", \"fish\": \"Cod\", \"amount\": 5000, \"card\": \"pm_card_visa\"}";
    assertEquals("409 {\"error\":\"sold already\"}", ask("POST", "/lots", again));
    assertEquals("422 {\"error\":\"amount\"}", ask("POST", "/lots", again.replace("5000", "50.5")));
    assertEquals("422 {\"error\":\"lot, fish and card are needed\"}", ask("POST", "/lots", "[]"));
  }

  @Test
  void daysAndHoursAreChecked() throws Exception {
    assertEquals("422 {\"error\":\"from\"}", ask("GET", "/till?from=today&to=2026-05-12", ""));
    assertEquals("422 {\"error\":\"hour\"}", ask("PUT", "/lockers/sub_1/ice/noon", "{\"crates\": 1}"));
    assertEquals("422 {\"error\":\"crates\"}", ask("PUT", "/lockers/sub_1/ice/2026-05-12T09", "{\"crates\": -1}"));
  }

  @Test
  void choicesAreTold() throws Exception {
    assertEquals("422 {\"error\":\"how\",\"choices\":[\"bank\",\"card\"]}", ask("POST", "/invoices/in_1/pay", "{}"));
    assertEquals("422 {\"error\":\"when\",\"choices\":[\"now\",\"period end\"]}", ask("POST", "/lockers/sub_1/end", "{}"));
    assertEquals("422 {\"error\":\"shelves\"}", ask("POST", "/lockers", "{\"kitchen\": \"c\", \"place\": \"p\", \"price\": \"q\"}"));
  }

  @Test
  void recordsAreReadAgain() {
    Records again = new Records(folder.resolve("records.tsv"));
    assertEquals(new Records.Lot("L-1", "Cod", "pi_1"), again.lot("L-1"));
    assertEquals(Map.of("lots", 1, "kitchens", 0, "lockers", 0), again.counts());
  }

  @Test
  void aKeyIsNeeded() {
    assertThrows(IllegalArgumentException.class, () -> Config.from(Map.of()));
  }
}
