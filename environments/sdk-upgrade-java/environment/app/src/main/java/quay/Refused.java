package quay;

import com.stripe.exception.ApiConnectionException;
import com.stripe.exception.CardException;
import com.stripe.exception.InvalidRequestException;
import com.stripe.exception.StripeException;
import com.stripe.model.PaymentIntent;
import java.util.Map;

/** We will not do it: a status and {"error": …}, never Stripe's own words. */
public final class Refused extends RuntimeException {
  private final int status;
  private final Map<String, Object> body;

  public Refused(int status, String error, Object... more) {
    super(error);
    this.status = status;
    this.body = Answer.of("error", error);
    this.body.putAll(Answer.of(more));
  }

  public int status() {
    return status;
  }

  public Map<String, Object> body() {
    return body;
  }

  /** The answer when it was Stripe who would not, or could not. */
  public static Refused because(StripeException problem) {
    if (problem instanceof CardException declined) {
      String reason = declined.getDeclineCode() != null ? declined.getDeclineCode() : declined.getCode();
      PaymentIntent intent = declined.getStripeError().getPaymentIntent();
      return new Refused(402, "declined", "reason", reason, "payment", intent == null ? null : intent.getId());
    }
    if (problem instanceof InvalidRequestException) {
      if (problem.getStatusCode() == 404) {
        return new Refused(404, "not found");
      }
      return new Refused(422, "resource_missing".equals(problem.getCode()) ? "unknown" : "refused");
    }
    if (problem instanceof ApiConnectionException) {
      return new Refused(503, "Stripe cannot be reached");
    }
    return new Refused(502, "Stripe failed");
  }
}
