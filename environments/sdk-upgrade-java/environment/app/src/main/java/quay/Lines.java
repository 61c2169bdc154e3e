package quay;

import com.stripe.exception.StripeException;
import com.stripe.model.Invoice;
import com.stripe.model.InvoiceLineItem;
import com.stripe.model.Price;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Lines of invoices, those that were sent and those that are to come. */
final class Lines {
  /** Every line of an invoice, in order. */
  static List<Map<String, Object>> of(Invoice invoice) throws StripeException {
    List<Map<String, Object>> lines = new ArrayList<>();
    for (InvoiceLineItem line : invoice.getLines().autoPagingIterable(Map.of("limit", 100))) {
      lines.add(shown(line));
    }
    return lines;
  }

  private static Map<String, Object> shown(InvoiceLineItem line) {
    Price price = line.getPrice();
    Price.Recurring every = price == null ? null : price.getRecurring();
    return Answer.of(
        "text", line.getDescription(),
        "kind", line.getType().equals("subscription") ? "locker" : "goods",
        "amount", line.getAmount(),
        "count", line.getQuantity(),
        "price", price == null ? null : price.getId(),
        "each", price == null ? null : price.getUnitAmount(),
        "every", every == null ? null : every.getInterval(),
        "by_use", every != null && every.getUsageType().equals("metered"),
        "locker", line.getSubscription(),
        "change", line.getProration(),
        "tax", line.getTaxAmounts().stream().map(tax -> Answer.of("amount", tax.getAmount(), "included", tax.getInclusive())).toList(),
        "from", line.getPeriod().getStart(),
        "to", line.getPeriod().getEnd());
  }

  private Lines() {}
}
