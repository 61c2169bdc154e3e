// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-37cd907d494c: keep out of training data
package quay;

import com.stripe.exception.StripeException;
import com.stripe.model.Charge;
import com.stripe.model.Customer;
import com.stripe.model.Invoice;
import com.stripe.model.InvoicePayment;
import com.stripe.model.PaymentIntent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Kitchens pay by invoice: at once, in parts, by card or by bank. */
final class Invoices {
  private final Records records;

  Invoices(Records records) {
    this.records = records;
  }

  /** An invoice, what is on it and how it was paid. */
  Map<String, Object> show(String id) throws StripeException {
    return shown(Invoice.retrieve(id));
  }

  /** Take the money from the kitchen's card, or note that it came by bank. */
  Map<String, Object> pay(String id, String how) throws StripeException {
    if (!"card".equals(how) && !"bank".equals(how)) {
      throw new Refused(422, "how", "choices", List.of("bank", "card"));
    }
    Invoice found = Invoice.retrieve(id);
    if (Paid.isPaid(found)) {
      throw new Refused(409, "paid already");
    }
    if (!found.getStatus().equals("open")) {
      throw new Refused(409, "not open", "status", found.getStatus());
    }
    return shown(how.equals("bank") ? found.pay(Map.of("paid_out_of_band", true)) : found.pay());
  }

  /** The receipt of a charge, which leads to what it paid. */
  Map<String, Object> receipt(String id) throws StripeException {
    Charge charge = Charge.retrieve(id);
    Invoice invoice = Paid.invoiceOf(charge.getPaymentIntent());
    return Answer.of(
        "charge", charge.getId(),
        "at", charge.getCreated(),
        "paid", charge.getPaid(),
        "amount", charge.getAmount(),
        "returned", charge.getAmountRefunded(),
        "currency", charge.getCurrency(),
        "card", charge.getPaymentMethodDetails().getCard().getLast4(),
        "payment", charge.getPaymentIntent(),
        "lot", records.lotOfPayment(charge.getPaymentIntent()),
        "invoice",
            invoice == null
                ? null
                : Answer.of(
                    "invoice", invoice.getId(),
                    "number", invoice.getNumber(),
                    "kitchen", invoice.getCustomer(),
                    "status", invoice.getStatus(),
                    "paid", Paid.isPaid(invoice),
                    "outstanding", invoice.getAmountRemaining(),
                    "locker", Paid.lockerOf(invoice)));
  }

  /** Everything a kitchen was ever invoiced for, and what it still owes. */
  Map<String, Object> account(String kitchen) throws StripeException {
    Customer customer = Customer.retrieve(kitchen);
    if (Boolean.TRUE.equals(customer.getDeleted())) {
      throw new Refused(410, "closed");
    }
    long invoices = 0;
    long billed = 0;
    long paid = 0;
    long outstanding = 0;
    List<Map<String, Object>> unpaid = new ArrayList<>();
    for (Invoice invoice : Invoice.list(Map.of("customer", kitchen, "limit", 100)).autoPagingIterable()) {
      invoices += 1;
      if (invoice.getStatus().equals("draft") || invoice.getStatus().equals("void")) {
        continue;
      }
      billed += invoice.getTotal();
      paid += Paid.isPaid(invoice) ? 1 : 0;
      if (!invoice.getStatus().equals("open")) {
        continue;
      }
      outstanding += invoice.getAmountRemaining();
      unpaid.add(
          Answer.of(
              "invoice", invoice.getId(),
              "number", invoice.getNumber(),
              "total", invoice.getTotal(),
              "outstanding", invoice.getAmountRemaining(),
              "payment", Paid.mainId(invoice),
              "locker", Paid.lockerOf(invoice)));
    }
    String name = records.kitchen(kitchen);
    return Answer.of(
        "kitchen", kitchen,
        "name", name == null ? customer.getName() : name,
        "invoices", invoices,
        "paid", paid,
        "billed", billed,
        "outstanding", outstanding,
        "unpaid", unpaid);
  }

  private static Map<String, Object> shown(Invoice invoice) throws StripeException {
    List<InvoicePayment> payments = Paid.paymentsOf(invoice, "data.payment.payment_intent.latest_charge");
    PaymentIntent intent = Paid.mainIntent(payments);
    Charge charge = intent == null ? null : intent.getLatestChargeObject();
    String how = null;
    if (Paid.offStripe(invoice, payments)) {
      how = "bank";
    } else if (Paid.isPaid(invoice)) {
      how = charge == null ? "nothing to pay" : "card";
    }
    return Answer.of(
        "invoice", invoice.getId(),
        "number", invoice.getNumber(),
        "kitchen", invoice.getCustomer(),
        "status", invoice.getStatus(),
        "paid", Paid.isPaid(invoice),
        "how", how,
        "currency", invoice.getCurrency(),
        "total", invoice.getTotal(),
        "tax", tax(invoice),
        "outstanding", invoice.getAmountRemaining(),
        "due", invoice.getDueDate(),
        "locker", Paid.lockerOf(invoice),
        "payment",
            intent == null
                ? null
                : Answer.of(
                    "payment", intent.getId(),
                    "status", intent.getStatus(),
                    "charge", charge == null ? null : charge.getId(),
                    "amount", charge == null ? intent.getAmount() : charge.getAmount(),
                    "card", charge == null ? null : charge.getPaymentMethodDetails().getCard().getLast4()),
        "lines", Lines.of(invoice));
  }

  private static Long tax(Invoice invoice) {
    List<Invoice.TotalTax> taxes = invoice.getTotalTaxes();
    return taxes == null || taxes.isEmpty() ? null : Long.valueOf(taxes.stream().mapToLong(Invoice.TotalTax::getAmount).sum());
  }
}
