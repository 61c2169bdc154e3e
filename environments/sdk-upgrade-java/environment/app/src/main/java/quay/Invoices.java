package quay;

import com.google.gson.JsonParser;
import com.stripe.exception.StripeException;
import com.stripe.model.Charge;
import com.stripe.model.Customer;
import com.stripe.model.Invoice;
import com.stripe.model.InvoiceCollection;
import com.stripe.model.PaymentIntent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Kitchens pay by invoice: at once, in parts, by card or by bank. */
final class Invoices {
  private static final List<String> SHOWN = List.of("payment_intent", "charge");

  private final Records records;

  Invoices(Records records) {
    this.records = records;
  }

  /** An invoice, what is on it and how it was paid. */
  Map<String, Object> show(String id) throws StripeException {
    return shown(Invoice.retrieve(id, Map.of("expand", SHOWN), null));
  }

  /** Take the money from the kitchen's card, or note that it came by bank. */
  Map<String, Object> pay(String id, String how) throws StripeException {
    if (!"card".equals(how) && !"bank".equals(how)) {
      throw new Refused(422, "how", "choices", List.of("bank", "card"));
    }
    Invoice found = Invoice.retrieve(id);
    if (found.getPaid()) {
      throw new Refused(409, "paid already");
    }
    if (!found.getStatus().equals("open")) {
      throw new Refused(409, "not open", "status", found.getStatus());
    }
    Map<String, Object> wanted = new HashMap<>(Map.of("expand", SHOWN));
    if (how.equals("bank")) {
      wanted.put("paid_out_of_band", true);
    }
    return shown(found.pay(wanted));
  }

  /** The receipt of a charge, which leads to what it paid. */
  Map<String, Object> receipt(String id) throws StripeException {
    Charge charge = Charge.retrieve(id, Map.of("expand", List.of("invoice")), null);
    Invoice invoice = charge.getInvoiceObject();
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
                    "paid", invoice.getPaid(),
                    "outstanding", invoice.getAmountRemaining(),
                    "locker", invoice.getSubscription()));
  }

  /** Everything a kitchen was ever invoiced for, and what it still owes. */
  Map<String, Object> account(String kitchen) throws StripeException {
    Customer customer = Customer.retrieve(kitchen);
    if (Boolean.TRUE.equals(customer.getDeleted())) {
      throw new Refused(410, "closed");
    }
    InvoiceCollection list = Invoice.list(Map.of("customer", kitchen, "limit", 100, "include", List.of("total_count")));
    long invoices = JsonParser.parseString(list.getLastResponse().body()).getAsJsonObject().get("total_count").getAsLong();
    long billed = 0;
    long paid = 0;
    long outstanding = 0;
    List<Map<String, Object>> unpaid = new ArrayList<>();
    for (Invoice invoice : list.autoPagingIterable()) {
      if (invoice.getStatus().equals("draft") || invoice.getStatus().equals("void")) {
        continue;
      }
      billed += invoice.getTotal();
      paid += invoice.getPaid() ? 1 : 0;
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
              "payment", invoice.getPaymentIntent(),
              "locker", invoice.getSubscription()));
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
    PaymentIntent intent = invoice.getPaymentIntentObject();
    Charge charge = invoice.getChargeObject();
    String how = null;
    if (Boolean.TRUE.equals(invoice.getPaidOutOfBand())) {
      how = "bank";
    } else if (invoice.getPaid()) {
      how = charge == null ? "nothing to pay" : "card";
    }
    return Answer.of(
        "invoice", invoice.getId(),
        "number", invoice.getNumber(),
        "kitchen", invoice.getCustomer(),
        "status", invoice.getStatus(),
        "paid", invoice.getPaid(),
        "how", how,
        "currency", invoice.getCurrency(),
        "total", invoice.getTotal(),
        "tax", invoice.getTax(),
        "outstanding", invoice.getAmountRemaining(),
        "due", invoice.getDueDate(),
        "locker", invoice.getSubscription(),
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
}
