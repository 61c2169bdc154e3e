package quay;

import com.stripe.exception.StripeException;
import com.stripe.model.Charge;
import com.stripe.model.Invoice;
import com.stripe.model.InvoicePayment;
import com.stripe.model.PaymentIntent;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Between invoices and payments. Invoices are asked for with their payments, and a day's payments for all their invoices at once. */
final class Paid {
  static final List<String> WITH_PAYMENTS = List.of("payments.data.payment.payment_intent");

  private static Stream<InvoicePayment> alive(Invoice invoice) {
    return invoice.getPayments().getData().stream()
        .filter(one -> one.getPayment().getType().equals("payment_intent") && !one.getStatus().equals("canceled"));
  }

  /** The payment that the old version called the invoice's own: the default one, else the oldest; none that was canceled. */
  private static InvoicePayment own(Invoice invoice) {
    return alive(invoice).filter(InvoicePayment::getIsDefault).findFirst().or(() -> alive(invoice).reduce((newer, older) -> older)).orElse(null);
  }

  static String paymentOf(Invoice invoice) {
    InvoicePayment found = own(invoice);
    return found == null ? null : found.getPayment().getPaymentIntent();
  }

  static PaymentIntent intentOf(Invoice invoice) {
    InvoicePayment found = own(invoice);
    return found == null ? null : found.getPayment().getPaymentIntentObject();
  }

  static Charge chargeOf(PaymentIntent intent) throws StripeException {
    return intent == null || intent.getLatestCharge() == null ? null : Charge.retrieve(intent.getLatestCharge());
  }

  /** What came through Stripe. */
  static long byCard(Invoice invoice) {
    return alive(invoice).map(InvoicePayment::getAmountPaid).filter(Objects::nonNull).mapToLong(Long::longValue).sum();
  }

  /** The invoice of a payment, or null. */
  static Invoice invoiceOf(String payment) throws StripeException {
    Map<String, Object> which = Map.of("type", "payment_intent", "payment_intent", payment);
    for (InvoicePayment found : InvoicePayment.list(Map.of("payment", which, "limit", 1)).getData()) {
      return Invoice.retrieve(found.getInvoice());
    }
    return null;
  }

  /** The invoices of all payments that have gone through. */
  static Map<String, Invoice> invoicesByPayment() throws StripeException {
    Map<String, Invoice> found = new HashMap<>();
    Map<String, Object> wanted = Map.of("status", "paid", "limit", 100, "expand", List.of("data.invoice"));
    for (InvoicePayment one : InvoicePayment.list(wanted).autoPagingIterable()) {
      if (one.getPayment().getPaymentIntent() != null) {
        found.put(one.getPayment().getPaymentIntent(), one.getInvoiceObject());
      }
    }
    return found;
  }

  static String lockerOf(Invoice invoice) {
    boolean ofLocker = invoice.getParent() != null && "subscription_details".equals(invoice.getParent().getType());
    return ofLocker ? invoice.getParent().getSubscriptionDetails().getSubscription() : null;
  }

  private Paid() {}
}
