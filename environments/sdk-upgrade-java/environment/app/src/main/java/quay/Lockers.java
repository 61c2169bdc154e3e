package quay;

import com.google.gson.JsonParser;
import com.stripe.exception.StripeException;
import com.stripe.model.Customer;
import com.stripe.model.Invoice;
import com.stripe.model.Subscription;
import com.stripe.model.SubscriptionCollection;
import com.stripe.model.SubscriptionItem;
import com.stripe.model.UsageRecord;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Lockers of the cold store, let by the month or by the week, and the ice that is taken there, hour by hour. */
final class Lockers {
  private static final int PAGE = 15;

  private final Records records;

  Lockers(Records records) {
    this.records = records;
  }

  /** A page of the lockers that are let, newest first, and how many there are altogether. */
  Map<String, Object> list(String after) throws StripeException {
    Map<String, Object> wanted = new HashMap<>(Map.of("limit", PAGE, "include", List.of("total_count")));
    if (after != null && !after.isEmpty()) {
      wanted.put("starting_after", after);
    }
    SubscriptionCollection page = Subscription.list(wanted);
    List<Subscription> found = page.getData();
    return Answer.of(
        "total", JsonParser.parseString(page.getLastResponse().body()).getAsJsonObject().get("total_count").getAsLong(),
        "lockers", found.stream().map(this::shown).toList(),
        "next", page.getHasMore() ? found.get(found.size() - 1).getId() : null);
  }

  /** A locker with its last invoice. */
  Map<String, Object> show(String id) throws StripeException {
    Subscription found = Subscription.retrieve(id, Map.of("expand", List.of("latest_invoice")), null);
    Invoice last = found.getLatestInvoiceObject();
    Map<String, Object> body = shown(found);
    body.put(
        "last_invoice",
        last == null
            ? null
            : Answer.of(
                "invoice", last.getId(),
                "number", last.getNumber(),
                "paid", last.getPaid(),
                "payment", last.getPaymentIntent(),
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
    if (Boolean.TRUE.equals(Customer.retrieve(kitchen).getDeleted())) {
      throw new Refused(410, "closed");
    }
    Subscription made =
        Subscription.create(
            Map.of(
                "customer", kitchen,
                "items", List.of(Map.of("price", price, "quantity", shelves)),
                "payment_behavior", "error_if_incomplete",
                "metadata", Map.of("place", place)));
    records.writeLocker(made.getId(), place);
    return show(made.getId());
  }

  /** What comes next, as things are now. */
  Map<String, Object> next(String id) throws StripeException {
    Invoice coming = Invoice.upcoming(Map.of("subscription", id));
    return Answer.of(
        "locker", id,
        "at", coming.getNextPaymentAttempt(),
        "currency", coming.getCurrency(),
        "total", coming.getTotal(),
        "lines", Lines.of(coming));
  }

  /** The crates of ice of an hour; what is told later of the same hour takes the place of what was told before. */
  Map<String, Object> takeIce(String id, long hour, Long crates) throws StripeException {
    if (crates == null || crates < 0 || crates > 500) {
      throw new Refused(422, "crates");
    }
    SubscriptionItem item = byUse(Subscription.retrieve(id));
    UsageRecord.createOnSubscriptionItem(
        item.getId(), Map.of("quantity", crates, "timestamp", hour, "action", "set"), null);
    Map<String, Object> body = Answer.of("hour", hour, "told", crates);
    body.putAll(ice(id));
    return body;
  }

  /** How much ice was taken in the present period. */
  Map<String, Object> ice(String id) throws StripeException {
    Subscription found = Subscription.retrieve(id);
    long crates = byUse(found).usageRecordSummaries(Map.of("limit", 1)).getData().get(0).getTotalUsage();
    return Answer.of(
        "locker", id,
        "from", found.getCurrentPeriodStart(),
        "to", found.getCurrentPeriodEnd(),
        "crates", crates);
  }

  /** Stop now, or when what is paid for is over. */
  Map<String, Object> end(String id, String when) throws StripeException {
    if ("now".equals(when)) {
      Subscription.retrieve(id).cancel();
    } else if ("period end".equals(when)) {
      Subscription.retrieve(id).update(Map.of("cancel_at_period_end", true));
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
        "from", found.getCurrentPeriodStart(),
        "to", found.getCurrentPeriodEnd(),
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
