package quay;

import com.stripe.model.Price;
import java.util.List;
import java.util.Map;

/** Lines of invoices, those that were sent and those that are to come. */
final class Lines {
  /** Every line of an invoice, in order. */
  static List<Map<String, Object>> of(List<Past.Line> lines) {
    return lines.stream().map(Lines::shown).toList();
  }

  private static Map<String, Object> shown(Past.Line line) {
    Price price = line.price();
    Price.Recurring every = price == null ? null : price.getRecurring();
    return Answer.of(
        "text", line.now().getDescription(),
        "kind", line.ofSubscription() ? "locker" : "goods",
        "amount", line.now().getAmount(),
        "count", line.now().getQuantity(),
        "price", price == null ? null : price.getId(),
        "each", price == null ? null : price.getUnitAmount(),
        "every", every == null ? null : every.getInterval(),
        "by_use", every != null && every.getUsageType().equals("metered"),
        "locker", line.subscription(),
        "change", line.proration(),
        "tax", line.now().getTaxes().stream().map(tax -> Answer.of("amount", tax.getAmount(), "included", "inclusive".equals(tax.getTaxBehavior()))).toList(),
        "from", line.now().getPeriod().getStart(),
        "to", line.now().getPeriod().getEnd());
  }

  private Lines() {}
}
