package quay;

import com.stripe.exception.StripeException;
import com.stripe.model.Customer;
import com.stripe.model.Invoice;
import com.stripe.model.Subscription;
import com.stripe.model.SubscriptionCollection;
import com.stripe.model.SubscriptionItem;
import com.stripe.model.billing.Meter;
import com.stripe.model.billing.MeterEvent;
import com.stripe.model.billing.MeterEventAdjustment;
import com.stripe.model.billing.MeterEventSummary;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Lockers of the cold store, let by the month or by the week, and the ice that is taken there, hour by hour. */
final class Lockers {
  private static final int PAGE = 15;
  private static final long MINUTE = 60;
  private static final List<String> OVER = List.of("canceled", "incomplete_expired");

  private final Records records;

  Lockers(Records records) {
    this.records = records;
  }

  /** A page of the lockers that are let, newest first, and how many there are altogether. */
  Map<String, Object> list(String after) throws StripeException {
    Map<String, Object> wanted = new HashMap<>(Map.of("limit", PAGE));
    if (after != null && !after.isEmpty()) {
      wanted.put("starting_after", after);
    }
    SubscriptionCollection page = Subscription.list(wanted);
    List<Subscription> found = page.getData();
    return Answer.of(
        "total", count(),
        "lockers", found.stream().map(this::shown).toList(),
        "next", page.getHasMore() ? found.get(found.size() - 1).getId() : null);
  }

  /** A locker with its last invoice. */
  Map<String, Object> show(String id) throws StripeException {
    Subscription found = Subscription.retrieve(id, Map.of("expand", List.of("latest_invoice.payments")), null);
    Invoice last = found.getLatestInvoiceObject();
    Map<String, Object> body = shown(found);
    body.put(
        "last_invoice",
        last == null
            ? null
            : Answer.of(
                "invoice", last.getId(),
                "number", last.getNumber(),
                "paid", last.getStatus().equals("paid"),
                "payment", Paid.paymentOf(last),
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
                "billing_mode", Map.of("type", "classic"),
                "metadata", Map.of("place", place)));
    records.writeLocker(made.getId(), place);
    return show(made.getId());
  }

  /** What comes next, as things are now. */
  Map<String, Object> next(String id) throws StripeException {
    Invoice coming = Invoice.createPreview(Map.of("subscription", id));
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
    Subscription found = Subscription.retrieve(id);
    SubscriptionItem item = byUse(found);
    // A meter knows customers and no lockers: what Stripe refused for a locker is refused here.
    if (OVER.contains(found.getStatus()) || hour < item.getCurrentPeriodStart()) {
      throw new Refused(422, "refused");
    }
    Meter meter = meter(item);
    // What was told of this hour before is taken back, so that each hour has one event.
    String before = records.ice(id, hour);
    String identifier = UUID.randomUUID().toString();
    if (before != null) {
      MeterEventAdjustment.create(
          Map.of("event_name", meter.getEventName(), "type", "cancel", "cancel", Map.of("identifier", before)));
    }
    MeterEvent.create(
        Map.of(
            "event_name", meter.getEventName(),
            "identifier", identifier,
            "timestamp", hour,
            "payload",
                Map.of(
                    meter.getCustomerMapping().getEventPayloadKey(), found.getCustomer(),
                    meter.getValueSettings().getEventPayloadKey(), String.valueOf(crates))));
    records.writeIce(id, hour, identifier);
    Map<String, Object> body = Answer.of("hour", hour, "told", crates);
    body.putAll(ice(id));
    return body;
  }

  /** How much ice was taken in the present period. */
  Map<String, Object> ice(String id) throws StripeException {
    Subscription found = Subscription.retrieve(id);
    SubscriptionItem item = byUse(found);
    BigDecimal crates = total(meter(item), found, item.getCurrentPeriodStart(), item.getCurrentPeriodEnd());
    return Answer.of("locker", id, "from", from(found), "to", to(found), "crates", crates.toBigInteger());
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

  private static long count() throws StripeException {
    long count = 0;
    for (Subscription each : Subscription.list(Map.of("limit", 100)).autoPagingIterable()) {
      count += each == null ? 0 : 1;
    }
    return count;
  }

  private static Meter meter(SubscriptionItem item) throws StripeException {
    return Meter.retrieve(item.getPrice().getRecurring().getMeter());
  }

  /** What a meter has of a kitchen from one moment until before another. It takes whole minutes. */
  private static BigDecimal total(Meter meter, Subscription found, long from, long to) throws StripeException {
    BigDecimal total = BigDecimal.ZERO;
    Map<String, Object> wanted =
        Map.of(
            "customer", found.getCustomer(),
            "start_time", from - from % MINUTE,
            "end_time", to + (MINUTE - to % MINUTE) % MINUTE,
            "limit", 100);
    for (MeterEventSummary summary : meter.eventSummaries(wanted).autoPagingIterable()) {
      total = total.add(summary.getAggregatedValue());
    }
    return total;
  }

  /** The period of a locker, which its items have now. */
  private static long from(Subscription found) {
    return found.getItems().getData().stream().mapToLong(SubscriptionItem::getCurrentPeriodStart).max().orElseThrow();
  }

  private static long to(Subscription found) {
    return found.getItems().getData().stream().mapToLong(SubscriptionItem::getCurrentPeriodEnd).min().orElseThrow();
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
        "from", from(found),
        "to", to(found),
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
