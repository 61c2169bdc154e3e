package quay;

import com.stripe.exception.StripeException;
import com.stripe.model.Invoice;
import com.stripe.model.StripeCollection;
import com.stripe.model.Subscription;
import com.stripe.model.SubscriptionItem;
import java.util.List;
import java.util.Map;

/** Lockers of the cold store, let by the month or by the week, and the ice that is taken there, hour by hour. */
final class Lockers {
  private static final int PAGE = 15;

  private final Records records;
  private final Past past;

  Lockers(Records records, Past past) {
    this.records = records;
    this.past = past;
  }

  /** A page of the lockers that are let, newest first, and how many there are altogether. */
  Map<String, Object> list(String after) throws StripeException {
    StripeCollection<Subscription> page = past.subscriptions(after, PAGE);
    List<Subscription> found = page.getData();
    return Answer.of(
        "total", past.running(),
        "lockers", found.stream().map(this::shown).toList(),
        "next", page.getHasMore() ? found.get(found.size() - 1).getId() : null);
  }

  /** A locker with its last invoice. */
  Map<String, Object> show(String id) throws StripeException {
    Subscription found = past.subscription(id);
    Invoice last = found.getLatestInvoiceObject();
    Map<String, Object> body = shown(found);
    body.put(
        "last_invoice",
        last == null
            ? null
            : Answer.of(
                "invoice", last.getId(),
                "number", last.getNumber(),
                "paid", Past.paid(last),
                "payment", past.bill(last).payment(),
                "total", last.getTotal()));
    return body;
  }

  /** Let a locker from now on; the first period is paid at once or nothing happens. */
  Map<String, Object> let(String kitchen, String place, String price, Long shelves) throws StripeException {
    if (kitchen == null || place == null || price == null) {
      throw new Refused(422, "kitchen, place and price are needed");
    }
    if (shelves == null || shelves < 1 || shelves > 40) {
      throw new Refused(422, "shelves");
    }
    if (Boolean.TRUE.equals(past.customer(kitchen).getDeleted())) {
      throw new Refused(410, "closed");
    }
    Subscription made = past.subscribe(kitchen, price, shelves, place);
    records.writeLocker(made.getId(), place);
    return show(made.getId());
  }

  /** What comes next, as things are now. */
  Map<String, Object> next(String id) throws StripeException {
    Invoice coming = past.upcoming(id);
    return Answer.of(
        "locker", id,
        "at", coming.getNextPaymentAttempt(),
        "currency", coming.getCurrency(),
        "total", coming.getTotal(),
        "lines", Lines.of(past.lines(coming)));
  }

  /** The crates of ice of an hour; what is told later of the same hour takes the place of what was told before. */
  Map<String, Object> takeIce(String id, long hour, Long crates) throws StripeException {
    if (crates == null || crates < 0 || crates > 500) {
      throw new Refused(422, "crates");
    }
    Subscription found = past.subscription(id);
    past.setUsage(found, byUse(found), hour, crates);
    Map<String, Object> body = Answer.of("hour", hour, "told", crates);
    body.putAll(ice(id));
    return body;
  }

  /** How much ice was taken in the present period. */
  Map<String, Object> ice(String id) throws StripeException {
    Subscription found = past.subscription(id);
    long crates = past.usage(found, byUse(found));
    return Answer.of(
        "locker", id,
        "from", Past.periodStart(found),
        "to", Past.periodEnd(found),
        "crates", crates);
  }

  /** Stop now, or when what is paid for is over. */
  Map<String, Object> end(String id, String when) throws StripeException {
    if ("now".equals(when)) {
      past.cancel(id);
    } else if ("period end".equals(when)) {
      past.cancelAtPeriodEnd(id);
    } else {
      throw new Refused(422, "when", "choices", List.of("now", "period end"));
    }
    return show(id);
  }

  private static SubscriptionItem byUse(Subscription found) {
    return found.getItems().getData().stream()
        .filter(item -> item.getPrice().getRecurring().getUsageType().equals("metered"))
        .findFirst()
        .orElseThrow(() -> new Refused(409, "no ice"));
  }

  private Map<String, Object> shown(Subscription found) {
    String place = records.place(found.getId());
    return Answer.of(
        "locker", found.getId(),
        "kitchen", found.getCustomer(),
        "place", place == null ? found.getMetadata().get("place") : place,
        "status", found.getStatus(),
        "since", found.getStartDate(),
        "from", Past.periodStart(found),
        "to", Past.periodEnd(found),
        "ends", found.getCancelAt(),
        "ended", found.getEndedAt(),
        "items", found.getItems().getData().stream().map(Lockers::item).toList());
  }

  private static Map<String, Object> item(SubscriptionItem item) {
    return Answer.of(
        "price", item.getPrice().getId(),
        "each", item.getPrice().getUnitAmount(),
        "every", item.getPrice().getRecurring().getInterval(),
        "by_use", item.getPrice().getRecurring().getUsageType().equals("metered"),
        "count", item.getQuantity());
  }
}
