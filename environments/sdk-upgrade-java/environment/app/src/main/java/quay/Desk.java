package quay;

import java.io.IOException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;

/** The addresses of the quay desk. What callers send and get is described in the README. */
public final class Desk {
  private static final long DAY = 86_400;

  private final Lots lots;
  private final Invoices invoices;
  private final Lockers lockers;

  public Desk(Records records) {
    lots = new Lots(records);
    invoices = new Invoices(records);
    lockers = new Lockers(records);
  }

  public Server serve(String host, int port) throws IOException {
    return new Server()
        .on("GET", "/health", 200, asked -> Answer.of("ok", true))
        .on("POST", "/lots", 201, asked -> lots.sell(asked.text("lot"), asked.text("fish"), asked.whole("amount"), asked.text("card")))
        .on("GET", "/lots/{}", 200, asked -> lots.show(asked.part(0)))
        .on("POST", "/lots/{}/payments", 200, asked -> lots.tryAgain(asked.part(0), asked.text("card")))
        .on("POST", "/lots/{}/returns", 201, asked -> lots.giveBack(asked.part(0), asked.says("amount"), asked.whole("amount")))
        .on("GET", "/till", 200, asked -> lots.till(day(asked, "from"), day(asked, "to") + DAY))
        .on("GET", "/invoices/{}", 200, asked -> invoices.show(asked.part(0)))
        .on("POST", "/invoices/{}/pay", 200, asked -> invoices.pay(asked.part(0), asked.text("how")))
        .on("GET", "/receipts/{}", 200, asked -> invoices.receipt(asked.part(0)))
        .on("GET", "/kitchens/{}/account", 200, asked -> invoices.account(asked.part(0)))
        .on("GET", "/lockers", 200, asked -> lockers.list(asked.query().get("after")))
        .on("POST", "/lockers", 201, asked -> lockers.let(asked.text("kitchen"), asked.text("place"), asked.text("price"), asked.whole("shelves")))
        .on("GET", "/lockers/{}", 200, asked -> lockers.show(asked.part(0)))
        .on("GET", "/lockers/{}/next", 200, asked -> lockers.next(asked.part(0)))
        .on("GET", "/lockers/{}/ice", 200, asked -> lockers.ice(asked.part(0)))
        .on("PUT", "/lockers/{}/ice/{}", 200, asked -> lockers.takeIce(asked.part(0), hour(asked.part(1)), asked.whole("crates")))
        .on("POST", "/lockers/{}/end", 200, asked -> lockers.end(asked.part(0), asked.text("when")))
        .listen(host, port);
  }

  /** The first second of a day, 2026-05-12. */
  private static long day(Asked asked, String name) {
    try {
      return LocalDate.parse(asked.query().getOrDefault(name, "")).atStartOfDay().toEpochSecond(ZoneOffset.UTC);
    } catch (DateTimeParseException nonsense) {
      throw new Refused(422, name);
    }
  }

  /** The first second of an hour, 2026-05-12T09. */
  private static long hour(String text) {
    try {
      return LocalDateTime.parse(text + ":00").toEpochSecond(ZoneOffset.UTC);
    } catch (DateTimeParseException nonsense) {
      throw new Refused(422, "hour");
    }
  }
}
