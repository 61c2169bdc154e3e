package quay;

import com.stripe.exception.StripeException;
import com.stripe.model.Charge;
import com.stripe.model.Invoice;
import com.stripe.model.PaymentIntent;
import com.stripe.model.Refund;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Fish that is sold on the quay, lot by lot and by card, and the till: what cards have paid on a day, whatever it was for. */
final class Lots {
  private final Records records;
  private final Past past;

  Lots(Records records, Past past) {
    this.records = records;
    this.past = past;
  }

  /** Sell a lot. When the card is declined, the lot is there and open for another try. */
  Map<String, Object> sell(String number, String fish, Long amount, String card) throws StripeException {
    if (number == null || fish == null || card == null) {
      throw new Refused(422, "lot, fish and card are needed");
    }
    if (amount == null || amount < 300 || amount > 50_000_000) {
      throw new Refused(422, "amount");
    }
    if (records.lot(number) != null) {
      throw new Refused(409, "sold already");
    }
    PaymentIntent intent = past.newPayment(amount, Map.of("lot", number, "fish", fish));
    records.writeLot(number, fish, intent.getId());
    past.confirm(intent, card);
    return show(number);
  }

  /** Another card for a lot that is not paid. */
  Map<String, Object> tryAgain(String number, String card) throws StripeException {
    if (card == null) {
      throw new Refused(422, "card");
    }
    PaymentIntent intent = past.payment(find(number).payment());
    if (intent.getStatus().equals("succeeded")) {
      throw new Refused(409, "paid already");
    }
    if (intent.getStatus().equals("canceled")) {
      throw new Refused(409, "cancelled");
    }
    past.confirm(intent, card);
    return show(number);
  }

  /** A lot with every try to pay for it, newest first. */
  Map<String, Object> show(String number) throws StripeException {
    Records.Lot lot = find(number);
    PaymentIntent intent = past.payment(lot.payment());
    List<Charge> charges = past.chargesOf(intent);
    Charge paid = paid(charges);
    return Answer.of(
        "lot", number,
        "fish", lot.fish(),
        "payment", intent.getId(),
        "state", state(intent, charges, paid),
        "amount", intent.getAmount(),
        "currency", intent.getCurrency(),
        "received", intent.getAmountReceived(),
        "returned", paid == null ? 0 : paid.getAmountRefunded(),
        "tries", charges.stream().map(Lots::attempt).toList(),
        "returns", paid == null ? List.of() : past.refundsOf(paid).stream().map(Lots::refund).toList());
  }

  /** Give back some of what a lot cost, or all that is left of it. */
  Map<String, Object> giveBack(String number, boolean some, Long amount) throws StripeException {
    Charge paid = paid(past.chargesOf(past.payment(find(number).payment())));
    if (paid == null) {
      throw new Refused(409, "not paid");
    }
    long left = paid.getAmount() - paid.getAmountRefunded();
    if (left == 0) {
      throw new Refused(409, "returned already");
    }
    Long wanted = some ? amount : Long.valueOf(left);
    if (wanted == null || wanted <= 0 || wanted > left) {
      throw new Refused(422, "amount", "left", left);
    }
    Refund made = past.refund(paid, wanted, number);
    Charge charge = made.getChargeObject();
    return Answer.of(
        "lot", number,
        "refund", made.getId(),
        "charge", charge.getId(),
        "amount", made.getAmount(),
        "currency", made.getCurrency(),
        "status", made.getStatus(),
        "left", charge.getAmount() - charge.getAmountRefunded());
  }

  /** Every card payment from {@code since} until before {@code until}, newest first, with what it was for. */
  Map<String, Object> till(long since, long until) throws StripeException {
    List<Map<String, Object>> rows = new ArrayList<>();
    Map<String, Object> kinds = Answer.of("lot", 0L, "invoice", 0L, "locker", 0L, "other", 0L);
    long taken = 0;
    long returned = 0;
    for (Charge charge : past.charges(since, until)) {
      if (!charge.getPaid()) {
        continue;
      }
      String kind = "other";
      String reference = records.lotOfPayment(charge.getPaymentIntent());
      Invoice invoice = past.invoiceOf(charge);
      if (invoice != null) {
        kind = Past.subscriptionOf(invoice) == null ? "invoice" : "locker";
        reference = invoice.getNumber();
      } else if (reference != null) {
        kind = "lot";
      }
      taken += charge.getAmount();
      returned += charge.getAmountRefunded();
      kinds.merge(kind, charge.getAmount(), (one, other) -> (Long) one + (Long) other);
      rows.add(
          Answer.of(
              "at", charge.getCreated(),
              "charge", charge.getId(),
              "payment", charge.getPaymentIntent(),
              "for", kind,
              "reference", reference,
              "amount", charge.getAmount(),
              "returned", charge.getAmountRefunded()));
    }
    return Answer.of("payments", rows.size(), "taken", taken, "returned", returned, "taken_for", kinds, "rows", rows);
  }

  private Records.Lot find(String number) {
    Records.Lot lot = records.lot(number);
    if (lot == null) {
      throw new Refused(404, "not found");
    }
    return lot;
  }

  private static Charge paid(List<Charge> charges) {
    return charges.stream().filter(Charge::getPaid).findFirst().orElse(null);
  }

  private static String state(PaymentIntent intent, List<Charge> charges, Charge paid) {
    if (paid != null) {
      return paid.getRefunded() ? "returned" : paid.getAmountRefunded() > 0 ? "partly returned" : "paid";
    }
    if (intent.getStatus().equals("canceled")) {
      return "cancelled";
    }
    return charges.isEmpty() ? "open" : "declined";
  }

  private static Map<String, Object> attempt(Charge charge) {
    Charge.PaymentMethodDetails.Card card = charge.getPaymentMethodDetails().getCard();
    return Answer.of(
        "charge", charge.getId(),
        "at", charge.getCreated(),
        "amount", charge.getAmount(),
        "outcome", charge.getPaid() ? "paid" : "declined",
        "reason", charge.getOutcome() == null ? null : charge.getOutcome().getReason(),
        "card", Answer.of("brand", card == null ? null : card.getBrand(), "last4", card == null ? null : card.getLast4()));
  }

  private static Map<String, Object> refund(Refund made) {
    return Answer.of(
        "refund", made.getId(),
        "at", made.getCreated(),
        "amount", made.getAmount(),
        "status", made.getStatus(),
        "reason", made.getReason());
  }
}
