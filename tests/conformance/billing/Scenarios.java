package billing;

import static shared.Suite.*;

import com.stripe.exception.StripeException;
import com.stripe.model.*;
import com.stripe.model.testhelpers.TestClock;
import com.stripe.param.*;
import com.stripe.param.billing.*;
import com.stripe.param.testhelpers.*;
import com.stripe.service.V1Services;
import java.math.BigDecimal;
import java.util.*;

/** Ten subscription business models through the official Java SDK, each on a test clock of its own. */
public final class Scenarios {
  private static final V1Services v1 = stripe.v1();
  private static final long HOUR = 3600, DAY = 86_400;
  private static final long APRIL = 1_775_001_600; // 2026-04-01 00:00 UTC
  private static final long MAY = APRIL + 30 * DAY, JUNE = APRIL + 61 * DAY, JULY = APRIL + 91 * DAY;

  /** Reason, status, total and amount paid of an invoice. */
  private record Bill(String reason, String status, long total, long paid) {}

  private static Bill paid(String reason, long amount) {
    return new Bill(reason, "paid", amount, amount);
  }

  /** A customer with a card on a clock that stands at 1 April. */
  private static final class Shop {
    final String clock = v1.testHelpers().testClocks().create(TestClockCreateParams.builder().setFrozenTime(APRIL).build()).getId();
    final String customer = v1.customers().create(com.stripe.param.CustomerCreateParams.builder().setTestClock(clock)
        .setPaymentMethod("pm_card_visa").setInvoiceSettings(com.stripe.param.CustomerCreateParams.InvoiceSettings.builder()
            .setDefaultPaymentMethod("pm_card_visa").build()).build()).getId();

    Shop() throws StripeException {}

    SubscriptionCreateParams.Builder order(String price) {
      return SubscriptionCreateParams.builder().setCustomer(customer)
          .addItem(SubscriptionCreateParams.Item.builder().setPrice(price).build());
    }

    void advance(long... moments) throws StripeException {
      for (long moment : moments) {
        TestClock now = v1.testHelpers().testClocks().advance(clock, TestClockAdvanceParams.builder().setFrozenTime(moment).build());
        while (now.getStatus().equals("advancing")) now = v1.testHelpers().testClocks().retrieve(clock);
        equal(List.of(now.getStatus(), now.getFrozenTime()), List.of("ready", moment));
      }
    }

    /** Oldest first. */
    List<Invoice> invoices() throws StripeException {
      List<Invoice> found = new ArrayList<>(v1.invoices().list(InvoiceListParams.builder().setCustomer(customer).build()).getData());
      Collections.reverse(found);
      return found;
    }

    void billed(Bill... expected) throws StripeException {
      equal(invoices().stream().map(i -> new Bill(i.getBillingReason(), i.getStatus(), i.getTotal(), i.getAmountPaid())).toList(),
          List.of(expected));
    }
  }

  private static String price(long amount, PriceCreateParams.Recurring recurring) throws StripeException {
    return v1.prices().create(PriceCreateParams.builder().setUnitAmount(amount).setCurrency("usd").setRecurring(recurring)
        .setProductData(PriceCreateParams.ProductData.builder().setName("Seed box").build()).build()).getId();
  }

  private static PriceCreateParams.Recurring.Builder everyMonth() {
    return PriceCreateParams.Recurring.builder().setInterval(PriceCreateParams.Recurring.Interval.MONTH);
  }

  private static String monthly(long amount) throws StripeException {
    return price(amount, everyMonth().build());
  }

  private static Subscription subscribe(SubscriptionCreateParams.Builder order) throws StripeException {
    return v1.subscriptions().create(order.build());
  }

  private static SubscriptionItem item(Subscription subscription) {
    return subscription.getItems().getData().get(0);
  }

  private static Subscription read(String subscription) throws StripeException {
    return v1.subscriptions().retrieve(subscription);
  }

  private static List<Long> lines(Invoice invoice) {
    return invoice.getLines().getData().stream().map(InvoiceLineItem::getAmount).toList();
  }

  static void create() throws Exception {
    Shop shop = new Shop();
    Subscription made = subscribe(shop.order(monthly(1000)));
    equal(List.of(made.getStatus(), item(made).getCurrentPeriodEnd()), List.of("active", MAY));
    shop.billed(paid("subscription_create", 1000));
    shop.advance(MAY + 60);
    equal(shop.invoices().get(1).getStatus(), "draft");
    shop.advance(MAY + 2 * HOUR);
    shop.billed(paid("subscription_create", 1000), paid("subscription_cycle", 1000));
    equal(item(read(made.getId())).getCurrentPeriodEnd(), JUNE);
  }

  static void trial() throws Exception {
    Shop shop = new Shop();
    Subscription made = subscribe(shop.order(monthly(1000)).setTrialPeriodDays(14L));
    equal(List.of(made.getStatus(), made.getTrialEnd()), List.of("trialing", APRIL + 14 * DAY));
    shop.billed(paid("subscription_create", 0));
    shop.advance(APRIL + 14 * DAY + 2 * HOUR);
    equal(read(made.getId()).getStatus(), "active");
    shop.billed(paid("subscription_create", 0), paid("subscription_cycle", 1000));
  }

  static void discountWithAnchor() throws Exception {
    Shop shop = new Shop();
    String coupon = v1.coupons().create(CouponCreateParams.builder().setPercentOff(BigDecimal.valueOf(20))
        .setDuration(CouponCreateParams.Duration.FOREVER).build()).getId();
    long anchor = APRIL + 15 * DAY;
    subscribe(shop.order(monthly(1000)).setBillingCycleAnchor(anchor)
        .addDiscount(SubscriptionCreateParams.Discount.builder().setCoupon(coupon).build()));
    shop.advance(anchor + 2 * HOUR);
    // 15 of the 31 days from 16 March to 16 April: 484, less 97 (prorations include their discounts)
    shop.billed(paid("subscription_create", 387), paid("subscription_cycle", 800));
    equal(shop.invoices().stream().map(i -> i.getTotalDiscountAmounts().stream().map(Invoice.TotalDiscountAmount::getAmount).toList())
        .toList(), List.of(List.of(), List.of(200L)));
  }

  static void oneTimeItem() throws Exception {
    Shop shop = new Shop();
    subscribe(shop.order(monthly(1000)).addAddInvoiceItem(
        SubscriptionCreateParams.AddInvoiceItem.builder().setPrice(price(550, null)).build()));
    equal(lines(shop.invoices().get(0)).stream().sorted().toList(), List.of(550L, 1000L));
    shop.advance(MAY + 2 * HOUR);
    shop.billed(paid("subscription_create", 1550), paid("subscription_cycle", 1000));
  }

  static void usageWithMeters() throws Exception {
    Shop shop = new Shop();
    String meter = v1.billing().meters().create(MeterCreateParams.builder().setDisplayName("Calls").setEventName("java_calls")
        .setDefaultAggregation(MeterCreateParams.DefaultAggregation.builder()
            .setFormula(MeterCreateParams.DefaultAggregation.Formula.SUM).build()).build()).getId();
    subscribe(shop.order(price(7, everyMonth().setUsageType(PriceCreateParams.Recurring.UsageType.METERED).setMeter(meter).build())));
    shop.billed();
    shop.advance(APRIL + 2 * DAY);
    for (String value : List.of("5", "8")) {
      v1.billing().meterEvents().create(MeterEventCreateParams.builder().setEventName("java_calls").setTimestamp(APRIL + DAY)
          .putPayload("stripe_customer_id", shop.customer).putPayload("value", value).build());
    }
    BigDecimal used = v1.billing().meters().eventSummaries().list(meter, MeterEventSummaryListParams.builder()
        .setCustomer(shop.customer).setStartTime(APRIL).setEndTime(APRIL + 2 * DAY).build()).getData().get(0).getAggregatedValue();
    equal(used.intValueExact(), 13);
    shop.advance(MAY + 2 * HOUR);
    shop.billed(paid("subscription_cycle", 91));
  }

  private static SubscriptionScheduleCreateParams.Phase phase(long amount, long months) throws StripeException {
    return SubscriptionScheduleCreateParams.Phase.builder()
        .addItem(SubscriptionScheduleCreateParams.Phase.Item.builder().setPrice(monthly(amount)).build())
        .setDuration(SubscriptionScheduleCreateParams.Phase.Duration.builder()
            .setInterval(SubscriptionScheduleCreateParams.Phase.Duration.Interval.MONTH).setIntervalCount(months).build()).build();
  }

  static void schedule() throws Exception {
    Shop shop = new Shop();
    SubscriptionSchedule made = v1.subscriptionSchedules().create(SubscriptionScheduleCreateParams.builder().setCustomer(shop.customer)
        .setStartDate(SubscriptionScheduleCreateParams.StartDate.NOW)
        .setEndBehavior(SubscriptionScheduleCreateParams.EndBehavior.CANCEL).addPhase(phase(1000, 1)).addPhase(phase(1500, 2)).build());
    shop.advance(MAY + 2 * HOUR, JUNE + 2 * HOUR, JULY + 2 * HOUR);
    equal(shop.invoices().stream().map(Invoice::getAmountPaid).toList(), List.of(1000L, 1500L, 1500L));
    equal(read(made.getSubscription()).getStatus(), "canceled");
    equal(v1.subscriptionSchedules().retrieve(made.getId()).getStatus(), "completed");
  }

  private static SubscriptionUpdateParams.Builder change(Subscription made, String price) {
    return SubscriptionUpdateParams.builder().setProrationBehavior(SubscriptionUpdateParams.ProrationBehavior.ALWAYS_INVOICE)
        .addItem(SubscriptionUpdateParams.Item.builder().setId(item(made).getId()).setPrice(price).build());
  }

  static void upgradeWithProration() throws Exception {
    Shop shop = new Shop();
    Subscription made = subscribe(shop.order(monthly(1000)));
    shop.advance(APRIL + 10 * DAY);
    v1.subscriptions().update(made.getId(), change(made, monthly(3000)).build());
    equal(lines(shop.invoices().get(1)), List.of(-667L, 2000L));
    shop.advance(MAY + 2 * HOUR);
    shop.billed(paid("subscription_create", 1000), paid("subscription_update", 1333), paid("subscription_cycle", 3000));
  }

  static void downgradeAtPeriodEnd() throws Exception {
    Shop shop = new Shop();
    String dear = monthly(3000), cheap = monthly(1000);
    Subscription made = subscribe(shop.order(dear));
    SubscriptionSchedule planned = v1.subscriptionSchedules().create(
        SubscriptionScheduleCreateParams.builder().setFromSubscription(made.getId()).build());
    SubscriptionSchedule.Phase now = planned.getPhases().get(0);
    v1.subscriptionSchedules().update(planned.getId(), SubscriptionScheduleUpdateParams.builder()
        .setEndBehavior(SubscriptionScheduleUpdateParams.EndBehavior.RELEASE)
        .addPhase(SubscriptionScheduleUpdateParams.Phase.builder().setStartDate(now.getStartDate()).setEndDate(now.getEndDate())
            .addItem(SubscriptionScheduleUpdateParams.Phase.Item.builder().setPrice(dear).build()).build())
        .addPhase(SubscriptionScheduleUpdateParams.Phase.builder()
            .addItem(SubscriptionScheduleUpdateParams.Phase.Item.builder().setPrice(cheap).build())
            .setDuration(SubscriptionScheduleUpdateParams.Phase.Duration.builder()
                .setInterval(SubscriptionScheduleUpdateParams.Phase.Duration.Interval.MONTH).setIntervalCount(1L).build()).build()).build());
    shop.billed(paid("subscription_create", 3000));
    shop.advance(MAY + 2 * HOUR);
    shop.billed(paid("subscription_create", 3000), paid("subscription_cycle", 1000));
    equal(item(read(made.getId())).getPrice().getId(), cheap);
  }

  static void cancelWithoutProration() throws Exception {
    Shop shop = new Shop();
    Subscription made = subscribe(shop.order(monthly(1000)));
    shop.advance(APRIL + 10 * DAY);
    Subscription gone = v1.subscriptions().cancel(made.getId(),
        SubscriptionCancelParams.builder().setProrate(false).setInvoiceNow(false).build());
    equal(List.of(gone.getStatus(), gone.getEndedAt()), List.of("canceled", APRIL + 10 * DAY));
    shop.advance(MAY + 2 * HOUR);
    shop.billed(paid("subscription_create", 1000));
    equal(v1.invoiceItems().list(InvoiceItemListParams.builder().setCustomer(shop.customer).build()).getData(), List.of());
    equal(v1.customers().retrieve(shop.customer).getBalance(), 0L);
  }

  static void preview() throws Exception {
    Shop shop = new Shop();
    Subscription made = subscribe(shop.order(monthly(1000)));
    String dear = monthly(2500);
    long when = APRIL + 12 * DAY;
    shop.advance(when);
    Invoice shown = v1.invoices().createPreview(InvoiceCreatePreviewParams.builder().setSubscription(made.getId())
        .setSubscriptionDetails(InvoiceCreatePreviewParams.SubscriptionDetails.builder().setProrationDate(when)
            .setProrationBehavior(InvoiceCreatePreviewParams.SubscriptionDetails.ProrationBehavior.ALWAYS_INVOICE)
            .addItem(InvoiceCreatePreviewParams.SubscriptionDetails.Item.builder().setId(item(made).getId()).setPrice(dear).build())
            .build()).build());
    equal(List.of(lines(shown), shown.getTotal()), List.of(List.of(-600L, 1500L), 900L));
    shop.billed(paid("subscription_create", 1000));
    v1.subscriptions().update(made.getId(), change(made, dear).setProrationDate(when).build());
    equal(lines(shop.invoices().get(1)), lines(shown));
    shop.billed(paid("subscription_create", 1000), paid("subscription_update", 900));
  }

  public static void main(String[] arguments) {
    Map<String, Scenario> scenarios = new LinkedHashMap<>();
    scenarios.put("create", Scenarios::create);
    scenarios.put("trial", Scenarios::trial);
    scenarios.put("discount_with_anchor", Scenarios::discountWithAnchor);
    scenarios.put("one_time_item", Scenarios::oneTimeItem);
    scenarios.put("usage_with_meters", Scenarios::usageWithMeters);
    scenarios.put("schedule", Scenarios::schedule);
    scenarios.put("upgrade_with_proration", Scenarios::upgradeWithProration);
    scenarios.put("downgrade_at_period_end", Scenarios::downgradeAtPeriodEnd);
    scenarios.put("cancel_without_proration", Scenarios::cancelWithoutProration);
    scenarios.put("preview", Scenarios::preview);
    run(scenarios);
  }
}
