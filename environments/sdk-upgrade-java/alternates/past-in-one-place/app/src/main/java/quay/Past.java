package quay;

import com.stripe.StripeClient;
import com.stripe.exception.StripeException;
import com.stripe.model.Charge;
import com.stripe.model.Customer;
import com.stripe.model.Invoice;
import com.stripe.model.InvoiceLineItem;
import com.stripe.model.InvoicePayment;
import com.stripe.model.PaymentIntent;
import com.stripe.model.Price;
import com.stripe.model.Refund;
import com.stripe.model.StripeCollection;
import com.stripe.model.Subscription;
import com.stripe.model.SubscriptionItem;
import com.stripe.model.billing.Meter;
import com.stripe.model.billing.MeterEventSummary;
import com.stripe.param.ChargeListParams;
import com.stripe.param.InvoiceCreatePreviewParams;
import com.stripe.param.InvoiceLineItemListParams;
import com.stripe.param.InvoiceListParams;
import com.stripe.param.InvoicePayParams;
import com.stripe.param.InvoicePaymentListParams;
import com.stripe.param.PaymentIntentConfirmParams;
import com.stripe.param.PaymentIntentCreateParams;
import com.stripe.param.RefundCreateParams;
import com.stripe.param.RefundListParams;
import com.stripe.param.SubscriptionCreateParams;
import com.stripe.param.SubscriptionListParams;
import com.stripe.param.SubscriptionRetrieveParams;
import com.stripe.param.SubscriptionUpdateParams;
import com.stripe.param.billing.MeterEventCreateParams;
import com.stripe.param.billing.MeterEventSummaryListParams;
import com.stripe.service.V1Services;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Stripe as it looked in 2020, made of what it tells today. The services know nothing else. */
final class Past {
  /** An invoice with the fields that it had. */
  record Bill(Invoice now, boolean paid, boolean paidOutOfBand, String subscription, PaymentIntent intent, Charge charge) {
    Long tax() {
      List<Invoice.TotalTax> taxes = now.getTotalTaxes();
      return taxes == null || taxes.isEmpty() ? null : Long.valueOf(taxes.stream().mapToLong(Invoice.TotalTax::getAmount).sum());
    }

    String payment() {
      return intent == null ? null : intent.getId();
    }
  }

  /** A line with the fields that it had. */
  record Line(InvoiceLineItem now, Price price, boolean ofSubscription, String subscription, boolean proration) {}

  private final V1Services stripe;

  Past(StripeClient client) {
    stripe = client.v1();
  }

  // Payments

  PaymentIntent newPayment(long amount, Map<String, String> metadata) throws StripeException {
    return stripe
        .paymentIntents()
        .create(
            PaymentIntentCreateParams.builder()
                .setAmount(amount)
                .setCurrency("nok")
                .addPaymentMethodType("card")
                .putAllMetadata(metadata)
                .build());
  }

  void confirm(PaymentIntent intent, String card) throws StripeException {
    stripe.paymentIntents().confirm(intent.getId(), PaymentIntentConfirmParams.builder().setPaymentMethod(card).build());
  }

  PaymentIntent payment(String id) throws StripeException {
    return stripe.paymentIntents().retrieve(id);
  }

  List<Charge> chargesOf(PaymentIntent intent) throws StripeException {
    return all(stripe.charges().list(ChargeListParams.builder().setPaymentIntent(intent.getId()).setLimit(50L).build()));
  }

  List<Refund> refundsOf(Charge charge) throws StripeException {
    return all(stripe.refunds().list(RefundListParams.builder().setCharge(charge.getId()).setLimit(50L).build()));
  }

  List<Charge> charges(long since, long until) throws StripeException {
    ChargeListParams.Created when = ChargeListParams.Created.builder().setGte(since).setLt(until).build();
    return all(stripe.charges().list(ChargeListParams.builder().setCreated(when).setLimit(100L).build()));
  }

  Charge charge(String id) throws StripeException {
    return stripe.charges().retrieve(id);
  }

  Refund refund(Charge charge, long amount, String lot) throws StripeException {
    return stripe
        .refunds()
        .create(
            RefundCreateParams.builder()
                .setCharge(charge.getId())
                .setAmount(amount)
                .setReason(RefundCreateParams.Reason.REQUESTED_BY_CUSTOMER)
                .putMetadata("lot", lot)
                .addExpand("charge")
                .build());
  }

  // Invoices

  Customer customer(String id) throws StripeException {
    return stripe.customers().retrieve(id);
  }

  Invoice invoice(String id) throws StripeException {
    return stripe.invoices().retrieve(id);
  }

  Invoice pay(String id, boolean byBank) throws StripeException {
    InvoicePayParams.Builder wanted = InvoicePayParams.builder();
    return stripe.invoices().pay(id, byBank ? wanted.setPaidOutOfBand(true).build() : wanted.build());
  }

  List<Invoice> invoicesOf(String customer) throws StripeException {
    return all(stripe.invoices().list(InvoiceListParams.builder().setCustomer(customer).setLimit(100L).build()));
  }

  static boolean paid(Invoice invoice) {
    return "paid".equals(invoice.getStatus());
  }

  static String subscriptionOf(Invoice invoice) {
    Invoice.Parent parent = invoice.getParent();
    return parent == null || parent.getSubscriptionDetails() == null ? null : parent.getSubscriptionDetails().getSubscription();
  }

  Invoice invoiceOf(Charge charge) throws StripeException {
    if (charge.getPaymentIntent() == null) {
      return null;
    }
    InvoicePaymentListParams.Payment which =
        InvoicePaymentListParams.Payment.builder()
            .setType(InvoicePaymentListParams.Payment.Type.PAYMENT_INTENT)
            .setPaymentIntent(charge.getPaymentIntent())
            .build();
    List<InvoicePayment> found = stripe.invoicePayments().list(InvoicePaymentListParams.builder().setPayment(which).build()).getData();
    return found.isEmpty() ? null : invoice(found.get(0).getInvoice());
  }

  /** An invoice as it was: with one payment, or none. */
  Bill bill(Invoice invoice) throws StripeException {
    InvoicePaymentListParams wanted =
        InvoicePaymentListParams.builder()
            .setInvoice(invoice.getId())
            .setLimit(100L)
            .addExpand("data.payment.payment_intent.latest_charge")
            .build();
    long came = 0;
    InvoicePayment own = null;
    for (InvoicePayment one : all(stripe.invoicePayments().list(wanted))) {
      if (one.getStatus().equals("paid")) {
        came += one.getAmountPaid();
      }
      boolean counts = !one.getStatus().equals("canceled") && one.getPayment().getPaymentIntent() != null;
      // Newest first: the last that counts is the oldest.
      if (counts && (own == null || !own.getIsDefault())) {
        own = one;
      }
    }
    PaymentIntent intent = own == null ? null : own.getPayment().getPaymentIntentObject();
    Charge charge = intent == null ? null : intent.getLatestChargeObject();
    boolean outOfBand = paid(invoice) && invoice.getAmountPaid() > came;
    return new Bill(invoice, paid(invoice), outOfBand, subscriptionOf(invoice), intent, charge);
  }

  Invoice upcoming(String subscription) throws StripeException {
    return stripe.invoices().createPreview(InvoiceCreatePreviewParams.builder().setSubscription(subscription).build());
  }

  /** Every line of an invoice, which may be one that is to come. */
  List<Line> lines(Invoice invoice) throws StripeException {
    List<InvoiceLineItem> found = invoice.getLines().getData();
    if (invoice.getLines().getHasMore()) {
      found = all(stripe.invoices().lineItems().list(invoice.getId(), InvoiceLineItemListParams.builder().setLimit(100L).build()));
    }
    Map<String, Price> prices = new HashMap<>();
    List<Line> lines = new ArrayList<>();
    for (InvoiceLineItem line : found) {
      Price price = null;
      if (line.getPricing() != null && line.getPricing().getPriceDetails() != null) {
        String id = line.getPricing().getPriceDetails().getPrice();
        if (!prices.containsKey(id)) {
          prices.put(id, stripe.prices().retrieve(id));
        }
        price = prices.get(id);
      }
      InvoiceLineItem.Parent parent = line.getParent();
      if (parent != null && parent.getSubscriptionItemDetails() != null) {
        InvoiceLineItem.Parent.SubscriptionItemDetails details = parent.getSubscriptionItemDetails();
        lines.add(new Line(line, price, true, details.getSubscription(), details.getProration()));
      } else if (parent != null && parent.getInvoiceItemDetails() != null) {
        InvoiceLineItem.Parent.InvoiceItemDetails details = parent.getInvoiceItemDetails();
        lines.add(new Line(line, price, false, details.getSubscription(), details.getProration()));
      } else {
        lines.add(new Line(line, price, false, null, false));
      }
    }
    return lines;
  }

  // Subscriptions

  Subscription subscription(String id) throws StripeException {
    return stripe.subscriptions().retrieve(id, SubscriptionRetrieveParams.builder().addExpand("latest_invoice").build());
  }

  StripeCollection<Subscription> subscriptions(String after, long limit) throws StripeException {
    SubscriptionListParams.Builder wanted = SubscriptionListParams.builder().setLimit(limit);
    return stripe.subscriptions().list((after == null || after.isEmpty() ? wanted : wanted.setStartingAfter(after)).build());
  }

  long running() throws StripeException {
    return all(subscriptions(null, 100)).size();
  }

  Subscription subscribe(String customer, String price, long quantity, String place) throws StripeException {
    return stripe
        .subscriptions()
        .create(
            SubscriptionCreateParams.builder()
                .setCustomer(customer)
                .addItem(SubscriptionCreateParams.Item.builder().setPrice(price).setQuantity(quantity).build())
                .setPaymentBehavior(SubscriptionCreateParams.PaymentBehavior.ERROR_IF_INCOMPLETE)
                .setBillingMode(
                    SubscriptionCreateParams.BillingMode.builder().setType(SubscriptionCreateParams.BillingMode.Type.CLASSIC).build())
                .putMetadata("place", place)
                .build());
  }

  void cancel(String id) throws StripeException {
    stripe.subscriptions().cancel(id);
  }

  void cancelAtPeriodEnd(String id) throws StripeException {
    stripe.subscriptions().update(id, SubscriptionUpdateParams.builder().setCancelAtPeriodEnd(true).build());
  }

  static long periodStart(Subscription found) {
    return found.getItems().getData().stream().map(SubscriptionItem::getCurrentPeriodStart).max(Comparator.naturalOrder()).orElseThrow();
  }

  static long periodEnd(Subscription found) {
    return found.getItems().getData().stream().map(SubscriptionItem::getCurrentPeriodEnd).min(Comparator.naturalOrder()).orElseThrow();
  }

  // Usage

  /** Overwrite what was used in an hour, as usage records did, and refuse what they refused. */
  void setUsage(Subscription found, SubscriptionItem item, long hour, long quantity) throws StripeException {
    boolean over = found.getStatus().equals("canceled") || found.getStatus().equals("incomplete_expired");
    if (over || hour < periodStart(found)) {
      throw new Refused(422, "refused");
    }
    Meter meter = stripe.billing().meters().retrieve(item.getPrice().getRecurring().getMeter());
    long known = total(meter, found.getCustomer(), hour, hour + 3600);
    stripe
        .billing()
        .meterEvents()
        .create(
            MeterEventCreateParams.builder()
                .setEventName(meter.getEventName())
                .setTimestamp(hour)
                .putPayload(meter.getCustomerMapping().getEventPayloadKey(), found.getCustomer())
                .putPayload(meter.getValueSettings().getEventPayloadKey(), Long.toString(quantity - known))
                .build());
  }

  long usage(Subscription found, SubscriptionItem item) throws StripeException {
    Meter meter = stripe.billing().meters().retrieve(item.getPrice().getRecurring().getMeter());
    return total(meter, found.getCustomer(), periodStart(found), periodEnd(found));
  }

  private long total(Meter meter, String customer, long since, long until) throws StripeException {
    MeterEventSummaryListParams wanted =
        MeterEventSummaryListParams.builder()
            .setCustomer(customer)
            .setStartTime(since / 60 * 60)
            .setEndTime((until + 59) / 60 * 60)
            .build();
    return all(stripe.billing().meters().eventSummaries().list(meter.getId(), wanted)).stream()
        .map(MeterEventSummary::getAggregatedValue)
        .mapToLong(Number::longValue)
        .sum();
  }

  private static <T extends com.stripe.model.HasId> List<T> all(StripeCollection<T> first) {
    List<T> found = new ArrayList<>();
    first.autoPagingIterable().forEach(found::add);
    return found;
  }
}
