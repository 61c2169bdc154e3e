package quay;

import com.stripe.exception.StripeException;
import com.stripe.model.Customer;
import com.stripe.model.PaymentIntent;
import com.stripe.model.Subscription;
import java.util.Map;

/** Writes our own records anew from what is noted at Stripe: which lot, kitchen and locker is which. */
public final class LinkRecords {
  public static void main(String[] arguments) throws StripeException {
    Config config = Config.from(System.getenv());
    config.connect();
    Records records = new Records(config.recordsPath());
    for (Customer customer : Customer.list(Map.of("limit", 100)).autoPagingIterable()) {
      String name = customer.getMetadata().getOrDefault("known_as", customer.getName());
      records.writeKitchen(customer.getId(), name == null ? customer.getId() : name);
    }
    for (PaymentIntent intent : PaymentIntent.list(Map.of("limit", 100)).autoPagingIterable()) {
      String lot = intent.getMetadata().get("lot");
      if (lot != null) {
        records.writeLot(lot, intent.getMetadata().getOrDefault("fish", "?"), intent.getId());
      }
    }
    for (Subscription locker : Subscription.list(Map.of("limit", 100, "status", "all")).autoPagingIterable()) {
      records.writeLocker(locker.getId(), locker.getMetadata().getOrDefault("place", "?"));
    }
    records.counts().forEach((kind, count) -> System.out.println(count + " " + kind));
  }

  private LinkRecords() {}
}
