// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-d5a7fcb0641a: keep out of training data
package quay;

import com.stripe.exception.StripeException;
import com.stripe.model.Invoice;
import com.stripe.model.InvoiceLineItem;
import com.stripe.model.Price;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Lines of invoices, those that were sent and those that are to come. */
final class Lines {
  /** Every line of an invoice, in order. */
  static List<Map<String, Object>> of(Invoice invoice) throws StripeException {
    List<Map<String, Object>> lines = new ArrayList<>();
    Map<String, Price> prices = new HashMap<>();
    for (InvoiceLineItem line : invoice.getLines().autoPagingIterable(Map.of("limit", 100))) {
      boolean priced = line.getPricing() != null && line.getPricing().getPriceDetails() != null;
      String price = priced ? line.getPricing().getPriceDetails().getPrice() : null;
      if (price != null && !prices.containsKey(price)) {
        prices.put(price, Price.retrieve(price));
      }
      lines.add(shown(line, prices.get(price)));
    }
    return lines;
  }

  private static Map<String, Object> shown(InvoiceLineItem line, Price price) {
    Price.Recurring every = price == null ? null : price.getRecurring();
    InvoiceLineItem.Parent parent = line.getParent();
    InvoiceLineItem.Parent.SubscriptionItemDetails let = parent == null ? null : parent.getSubscriptionItemDetails();
    InvoiceLineItem.Parent.InvoiceItemDetails other = parent == null ? null : parent.getInvoiceItemDetails();
    return Answer.of(
        "text", line.getDescription(),
        "kind", let != null ? "locker" : "goods",
        "amount", line.getAmount(),
        "count", line.getQuantity(),
        "price", price == null ? null : price.getId(),
        "each", price == null ? null : price.getUnitAmount(),
        "every", every == null ? null : every.getInterval(),
        "by_use", every != null && every.getUsageType().equals("metered"),
        "locker", let != null ? let.getSubscription() : other != null ? other.getSubscription() : null,
        "change", let != null ? let.getProration() : other != null && other.getProration(),
        "tax", line.getTaxes().stream().map(Lines::tax).toList(),
        "from", line.getPeriod().getStart(),
        "to", line.getPeriod().getEnd());
  }

  private static Map<String, Object> tax(InvoiceLineItem.Tax tax) {
    return Answer.of("amount", tax.getAmount(), "included", tax.getTaxBehavior().equals("inclusive"));
  }

  private Lines() {}
}
