package quay;

import com.stripe.exception.StripeException;
import com.stripe.model.Charge;
import com.stripe.model.Customer;
import com.stripe.model.Invoice;
import com.stripe.model.PaymentIntent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Kitchens pay by invoice: at once, in parts, by card or by bank. */
final class Invoices {
  private final Records records;
  private final Past past;

  Invoices(Records records, Past past) {
    this.records = records;
    this.past = past;
  }

  /** An invoice, what is on it and how it was paid. */
  Map<String, Object> show(String id) throws StripeException {
    return shown(past.invoice(id));
  }

  /** Take the money from the kitchen's card, or note that it came by bank. */
  Map<String, Object> pay(String id, String how) throws StripeException {
    if (!"card".equals(how) && !"bank".equals(how)) {
      throw new Refused(422, "how", "choices", List.of("bank", "card"));
    }
    Invoice found = past.invoice(id);
    if (Past.paid(found)) {
      throw new Refused(409, "paid already");
    }
    if (!found.getStatus().equals("open")) {
      throw new Refused(409, "not open", "status", found.getStatus());
    }
    return shown(past.pay(id, how.equals("bank")));
  }

  /** The receipt of a charge, which leads to what it paid. */
  Map<String, Object> receipt(String id) throws StripeException {
    Charge charge = past.charge(id);
    Invoice invoice = past.invoiceOf(charge);
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
                    "paid", Past.paid(invoice),
                    "outstanding", invoice.getAmountRemaining(),
                    "locker", Past.subscriptionOf(invoice)));
  }

  /** Everything a kitchen was ever invoiced for, and what it still owes. */
  Map<String, Object> account(String kitchen) throws StripeException {
    Customer customer = past.customer(kitchen);
    if (Boolean.TRUE.equals(customer.getDeleted())) {
      throw new Refused(410, "closed");
    }
    List<Invoice> invoices = past.invoicesOf(kitchen);
    long billed = 0;
    long paid = 0;
    long outstanding = 0;
    List<Map<String, Object>> unpaid = new ArrayList<>();
    for (Invoice invoice : invoices) {
      if (invoice.getStatus().equals("draft") || invoice.getStatus().equals("void")) {
        continue;
      }
      billed += invoice.getTotal();
      paid += Past.paid(invoice) ? 1 : 0;
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
              "payment", past.bill(invoice).payment(),
              "locker", Past.subscriptionOf(invoice)));
    }
    String name = records.kitchen(kitchen);
    return Answer.of(
        "kitchen", kitchen,
        "name", name == null ? customer.getName() : name,
        "invoices", invoices.size(),
        "paid", paid,
        "billed", billed,
        "outstanding", outstanding,
        "unpaid", unpaid);
  }

  private Map<String, Object> shown(Invoice invoice) throws StripeException {
    Past.Bill bill = past.bill(invoice);
    PaymentIntent intent = bill.intent();
    Charge charge = bill.charge();
    String how = null;
    if (bill.paidOutOfBand()) {
      how = "bank";
    } else if (bill.paid()) {
      how = charge == null ? "nothing to pay" : "card";
    }
    return Answer.of(
        "invoice", invoice.getId(),
        "number", invoice.getNumber(),
        "kitchen", invoice.getCustomer(),
        "status", invoice.getStatus(),
        "paid", bill.paid(),
        "how", how,
        "currency", invoice.getCurrency(),
        "total", invoice.getTotal(),
        "tax", bill.tax(),
        "outstanding", invoice.getAmountRemaining(),
        "due", invoice.getDueDate(),
        "locker", bill.subscription(),
        "payment",
            intent == null
                ? null
                : Answer.of(
                    "payment", intent.getId(),
                    "status", intent.getStatus(),
                    "charge", charge == null ? null : charge.getId(),
                    "amount", charge == null ? intent.getAmount() : charge.getAmount(),
                    "card", charge == null ? null : charge.getPaymentMethodDetails().getCard().getLast4()),
        "lines", Lines.of(past.lines(invoice)));
  }
}
