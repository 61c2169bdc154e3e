package wire;

import static shared.Suite.*;

import com.stripe.StripeClient;
import com.stripe.exception.*;
import com.stripe.model.*;
import com.stripe.net.RequestOptions;
import com.stripe.net.Webhook;
import com.stripe.param.*;
import java.util.*;

/** The wire's scenarios through the official Java SDK. */
public final class Scenarios {
  private static PaymentIntentCreateParams.Builder pay(String method) {
    return PaymentIntentCreateParams.builder().setAmount(2000L).setCurrency("usd").setPaymentMethod(method)
        .setConfirm(true).setCaptureMethod(PaymentIntentCreateParams.CaptureMethod.AUTOMATIC).setReturnUrl("https://shop.example/done");
  }

  private static CustomerCreateParams named(String name) {
    return CustomerCreateParams.builder().setName(name).build();
  }

  public static void main(String[] arguments) throws Exception {
    Map<String, Scenario> scenarios = new LinkedHashMap<>();
    scenarios.put("create_and_retrieve", () -> {
      Customer made = stripe.v1().customers().create(CustomerCreateParams.builder().setName("Zoë & Co")
          .setAddress(CustomerCreateParams.Address.builder().setLine1("1 Mill Lane").setCountry("GB").build()).build());
      Customer read = stripe.v1().customers().retrieve(made.getId());
      check(read.getName().equals("Zoë & Co") && read.getAddress().getLine1().equals("1 Mill Lane"), read);
    });
    scenarios.put("metadata_merges_and_unsets", () -> {
      Customer made = stripe.v1().customers().create(CustomerCreateParams.builder().putMetadata("a", "1").putMetadata("b", "2").build());
      Customer changed = stripe.v1().customers().update(made.getId(),
          CustomerUpdateParams.builder().putMetadata("a", "").putMetadata("c", "3").build());
      check(changed.getMetadata().equals(Map.of("b", "2", "c", "3")), changed.getMetadata());
      Customer emptied = stripe.v1().customers().update(made.getId(),
          CustomerUpdateParams.builder().setMetadata(com.stripe.param.common.EmptyParam.EMPTY).build());
      check(emptied.getMetadata().isEmpty(), emptied.getMetadata());
    });
    scenarios.put("pages_visit_every_object_once", () -> {
      List<String> made = new ArrayList<>();
      for (int n = 0; n < 13; n++) made.add(stripe.v1().products().create(ProductCreateParams.builder().setName("page " + n).build()).getId());
      List<String> seen = new ArrayList<>();
      for (Product product : stripe.v1().products().list(ProductListParams.builder().setLimit(5L).build()).autoPagingIterable())
        if (made.contains(product.getId())) seen.add(product.getId());
      Collections.reverse(made);
      check(seen.equals(made), seen);
    });
    scenarios.put("expand_reaches_into_lists", () -> {
      Price price = stripe.v1().prices().create(PriceCreateParams.builder().setUnitAmount(500L).setCurrency("usd")
          .setProductData(PriceCreateParams.ProductData.builder().setName("Mug").build()).addExpand("product").build());
      check(price.getProductObject().getName().equals("Mug"), price);
      refused(() -> stripe.v1().prices().retrieve(price.getId(), PriceRetrieveParams.builder().addExpand("nonsense").build()),
          InvalidRequestException.class, 400, null, "expand");
    });
    scenarios.put("search_finds", () -> {
      Customer made = stripe.v1().customers().create(CustomerCreateParams.builder().putMetadata("shelf", "java-7").build());
      List<Customer> found = stripe.v1().customers().search(CustomerSearchParams.builder().setQuery("metadata['shelf']:'java-7'").build()).getData();
      check(found.size() == 1 && found.get(0).getId().equals(made.getId()), found);
      stripe.v1().customers().delete(made.getId());
    });
    scenarios.put("unknown_parameter", () -> refused(
        () -> stripe.v1().customers().create(CustomerCreateParams.builder().putExtraParam("emial", "x").build()),
        InvalidRequestException.class, 400, "parameter_unknown", "emial"));
    scenarios.put("missing_object", () -> refused(() -> stripe.v1().customers().retrieve("cus_none"),
        InvalidRequestException.class, 404, "resource_missing", "id"));
    scenarios.put("bad_key", () -> refused(() -> client("sk_test_wrongwrongwrong", 0).v1().customers().list(),
        AuthenticationException.class, 401, null, null));
    scenarios.put("publishable_key_may_not", () -> refused(() -> client(System.getenv("PUBLISHABLE_KEY"), 0).v1().customers().list(),
        PermissionException.class, 403, null, null));
    scenarios.put("deleted_stub", () -> {
      Customer made = stripe.v1().customers().create(named("gone"));
      check(stripe.v1().customers().delete(made.getId()).getDeleted(), "delete");
      check(stripe.v1().customers().retrieve(made.getId()).getDeleted(), "retrieve");
    });
    scenarios.put("idempotent_replay", () -> {
      RequestOptions options = RequestOptions.builder().setIdempotencyKey("java-" + System.nanoTime()).build();
      Customer first = stripe.v1().customers().create(named("once"), options);
      Customer again = stripe.v1().customers().create(named("once"), options);
      check(first.getId().equals(again.getId()), again);
      check(again.getLastResponse().headers().firstValue("Idempotent-Replayed").orElse("").equals("true"), again.getLastResponse());
      refused(() -> stripe.v1().customers().create(named("twice"), options), IdempotencyException.class, 400, null, null);
    });
    scenarios.put("payment_succeeds", () -> {
      PaymentIntent intent = stripe.v1().paymentIntents().create(pay("pm_card_visa").addExpand("latest_charge.balance_transaction").build());
      check(intent.getStatus().equals("succeeded"), intent.getStatus());
      check(intent.getLatestChargeObject().getBalanceTransactionObject().getAmount() == 2000L, intent);
    });
    scenarios.put("card_declined", () -> {
      CardException error = (CardException) refused(
          () -> stripe.v1().paymentIntents().create(pay("pm_card_visa_chargeDeclinedInsufficientFunds").build()),
          CardException.class, 402, "card_declined", null);
      check(error.getDeclineCode().equals("insufficient_funds"), error.getDeclineCode());
      check(error.getStripeError().getPaymentIntent().getStatus().equals("requires_payment_method"), error);
    });
    scenarios.put("authentication_required", () -> {
      PaymentIntent intent = stripe.v1().paymentIntents().create(pay("pm_card_threeDSecure2Required").build());
      check(intent.getStatus().equals("requires_action") && intent.getNextAction().getType().equals("redirect_to_url"), intent.getStatus());
    });
    scenarios.put("refund", () -> {
      String intent = stripe.v1().paymentIntents().create(pay("pm_card_visa").build()).getId();
      stripe.v1().refunds().create(RefundCreateParams.builder().setPaymentIntent(intent).setAmount(500L).build());
      refused(() -> stripe.v1().refunds().create(RefundCreateParams.builder().setPaymentIntent(intent).setAmount(1600L).build()),
          InvalidRequestException.class, 400, null, "amount");
      stripe.v1().refunds().create(RefundCreateParams.builder().setPaymentIntent(intent).build());
      refused(() -> stripe.v1().refunds().create(RefundCreateParams.builder().setPaymentIntent(intent).build()),
          InvalidRequestException.class, 400, "charge_already_refunded", null);
    });
    scenarios.put("nested_arrays", () -> {
      Customer customer = stripe.v1().customers().create(CustomerCreateParams.builder().setPaymentMethod("pm_card_visa")
          .setInvoiceSettings(CustomerCreateParams.InvoiceSettings.builder().setDefaultPaymentMethod("pm_card_visa").build()).build());
      Price price = stripe.v1().prices().create(PriceCreateParams.builder().setUnitAmount(1000L).setCurrency("usd")
          .setRecurring(PriceCreateParams.Recurring.builder().setInterval(PriceCreateParams.Recurring.Interval.MONTH).build())
          .setProductData(PriceCreateParams.ProductData.builder().setName("Plan").build()).build());
      Subscription made = stripe.v1().subscriptions().create(SubscriptionCreateParams.builder().setCustomer(customer.getId())
          .addItem(SubscriptionCreateParams.Item.builder().setPrice(price.getId()).setQuantity(3L).putMetadata("seat", "a").build()).build());
      SubscriptionItem item = made.getItems().getData().get(0);
      check(made.getStatus().equals("active") && item.getQuantity() == 3L && item.getMetadata().get("seat").equals("a"), made.getStatus());
    });
    scenarios.put("webhook_signature", () -> {
      String payload = System.getenv("WEBHOOK_PAYLOAD"), header = System.getenv("WEBHOOK_HEADER"), secret = System.getenv("WEBHOOK_SECRET");
      check(Webhook.constructEvent(payload, header, secret).getType().equals("customer.created"), "type");
      try {
        Webhook.constructEvent(payload + " ", header, secret);
        throw new IllegalStateException("a changed payload was accepted");
      } catch (SignatureVerificationException expected) {
        check(expected.getMessage() != null, expected);
      }
    });
    scenarios.put("retries_through_a_lock_timeout", () -> {
      Coupon coupon = client(System.getenv("SECRET_KEY"), 2).v1().coupons().create(CouponCreateParams.builder()
          .setPercentOff(java.math.BigDecimal.TEN).setDuration(CouponCreateParams.Duration.ONCE).build());
      check(coupon.getPercentOff().intValue() == 10, coupon);
    });
    scenarios.put("rate_limited", () -> refused(() -> stripe.v1().coupons().retrieve("limited"), RateLimitException.class, 429, null, null));
    run(scenarios);
  }
}
