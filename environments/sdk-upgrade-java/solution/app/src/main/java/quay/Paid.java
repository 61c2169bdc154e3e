// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-1f513f8726c9: keep out of training data
package quay;

import com.stripe.exception.StripeException;
import com.stripe.model.Invoice;
import com.stripe.model.InvoicePayment;
import com.stripe.model.PaymentIntent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Between invoices and payments: an invoice has a list of payments, and a charge does not know its invoice. */
final class Paid {
  /** The payments of an invoice: the default one first, then the others, oldest first; with what is expanded. */
  static List<InvoicePayment> paymentsOf(Invoice invoice, String... expand) throws StripeException {
    List<InvoicePayment> found = new ArrayList<>();
    Map<String, Object> wanted = new HashMap<>(Map.of("invoice", invoice.getId(), "limit", 100));
    if (expand.length > 0) {
      wanted.put("expand", List.of(expand));
    }
    InvoicePayment.list(wanted).autoPagingIterable().forEach(found::add);
    Collections.reverse(found);
    found.sort((one, other) -> Boolean.compare(other.getIsDefault(), one.getIsDefault()));
    return found;
  }

  /** What used to be the invoice's own payment: the first that is not canceled. Null when there is none. */
  static InvoicePayment.Payment main(List<InvoicePayment> payments) {
    return payments.stream()
        .filter(one -> !one.getStatus().equals("canceled") && one.getPayment().getType().equals("payment_intent"))
        .map(InvoicePayment::getPayment)
        .findFirst()
        .orElse(null);
  }

  /** The id of the invoice's own payment, or null. */
  static String mainId(Invoice invoice) throws StripeException {
    InvoicePayment.Payment found = main(paymentsOf(invoice));
    return found == null ? null : found.getPaymentIntent();
  }

  /** The invoice's own payment with its last charge, or null. */
  static PaymentIntent mainIntent(List<InvoicePayment> payments) {
    InvoicePayment.Payment found = main(payments);
    return found == null ? null : found.getPaymentIntentObject();
  }

  /** Whether money came another way than through Stripe. */
  static boolean offStripe(Invoice invoice, List<InvoicePayment> payments) {
    long came =
        payments.stream().filter(one -> one.getStatus().equals("paid")).mapToLong(InvoicePayment::getAmountPaid).sum();
    return isPaid(invoice) && invoice.getAmountPaid() > came;
  }

  static boolean isPaid(Invoice invoice) {
    return invoice.getStatus().equals("paid");
  }

  /** The invoice that a PaymentIntent paid, or a part of it; null when there is none. */
  static Invoice invoiceOf(String payment) throws StripeException {
    if (payment == null) {
      return null;
    }
    Map<String, Object> which = Map.of("type", "payment_intent", "payment_intent", payment);
    List<InvoicePayment> found = InvoicePayment.list(Map.of("payment", which, "expand", List.of("data.invoice"))).getData();
    return found.isEmpty() ? null : found.get(0).getInvoiceObject();
  }

  /** The subscription that an invoice is for, or null. */
  static String lockerOf(Invoice invoice) {
    Invoice.Parent parent = invoice.getParent();
    boolean ofLocker = parent != null && parent.getSubscriptionDetails() != null;
    return ofLocker ? parent.getSubscriptionDetails().getSubscription() : null;
  }

  private Paid() {}
}
