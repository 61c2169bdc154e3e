package quay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Our own records: which lot, kitchen and locker belongs to what at Stripe. Money is never here: Stripe has it.
 *
 * <p>A file of lines, kind, key and two values with tabs between. What is written later counts.
 */
public final class Records {
  /** What was sold, and the PaymentIntent that it was sold for. */
  public record Lot(String number, String fish, String payment) {}

  private final Path path;
  private final Map<String, Lot> lots = new HashMap<>();
  private final Map<String, String> lotsByPayment = new HashMap<>();
  private final Map<String, String> kitchens = new HashMap<>();
  private final Map<String, String> places = new HashMap<>();

  public Records(Path path) {
    this.path = path;
    try {
      if (path.getParent() != null) {
        Files.createDirectories(path.getParent());
      }
      if (Files.exists(path)) {
        for (String line : Files.readAllLines(path, StandardCharsets.UTF_8)) {
          remember(line.split("\t", -1));
        }
      }
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  /** A lot by the number on its crate; null when there is none. */
  public synchronized Lot lot(String number) {
    return lots.get(number);
  }

  /** The number of the lot that a payment was for, or null. */
  public synchronized String lotOfPayment(String payment) {
    return lotsByPayment.get(payment);
  }

  /** What we call a customer, or null. */
  public synchronized String kitchen(String customer) {
    return kitchens.get(customer);
  }

  /** Where a locker is, or null. */
  public synchronized String place(String locker) {
    return places.get(locker);
  }

  public void writeLot(String number, String fish, String payment) {
    write("lot", number, fish, payment);
  }

  public void writeKitchen(String customer, String name) {
    write("kitchen", customer, name, "");
  }

  public void writeLocker(String subscription, String place) {
    write("locker", subscription, place, "");
  }

  /** How many of each there are. */
  public synchronized Map<String, Integer> counts() {
    Map<String, Integer> counts = new LinkedHashMap<>();
    counts.put("lots", lots.size());
    counts.put("kitchens", kitchens.size());
    counts.put("lockers", places.size());
    return counts;
  }

  private synchronized void write(String... values) {
    for (int place = 0; place < values.length; place++) {
      values[place] = values[place].replaceAll("[\\t\\r\\n]", " ");
    }
    try {
      String line = String.join("\t", values) + "\n";
      Files.writeString(path, line, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
    remember(values);
  }

  private void remember(String[] values) {
    switch (values[0]) {
      case "lot" -> {
        lots.put(values[1], new Lot(values[1], values[2], values[3]));
        lotsByPayment.put(values[3], values[1]);
      }
      case "kitchen" -> kitchens.put(values[1], values[2]);
      case "locker" -> places.put(values[1], values[2]);
      default -> throw new IllegalStateException("a line of the records begins with " + values[0]);
    }
  }
}
