package payments;

import static shared.Suite.*;

import com.stripe.exception.*;
import com.stripe.model.*;
import com.stripe.net.RequestOptions;
import com.stripe.param.*;
import com.stripe.param.WebhookEndpointCreateParams.EnabledEvent;
import com.stripe.service.V1Services;
import java.util.*;

/** The core payment journeys through the official Java SDK. */
public final class Scenarios {
  private static final V1Services v1 = stripe.v1();

  private static final String[][] DECLINES = {
    {"visa_chargeDeclined", "card_declined", "generic_decline"},
    {"visa_chargeDeclinedInsufficientFunds", "card_declined", "insufficient_funds"},
    {"visa_chargeDeclinedLostCard", "card_declined", "lost_card"},
    {"visa_chargeDeclinedStolenCard", "card_declined", "stolen_card"},
    {"chargeDeclinedExpiredCard", "expired_card", "expired_card"},
    {"chargeDeclinedIncorrectCvc", "incorrect_cvc", "incorrect_cvc"},
    {"chargeDeclinedProcessingError", "processing_error", "processing_error"},
    {"visa_chargeDeclinedVelocityLimitExceeded", "card_declined", "card_velocity_exceeded"},
    {"radarBlock", "card_declined", "fraudulent"},
    {"chargeCustomerFail", "card_declined", "generic_decline"},
    {"visa_chargeCustomerFailLostCard", "card_declined", "lost_card"},
    {"visa_chargeCustomerFailStolenCard", "card_declined", "stolen_card"},
  };

  private static PaymentIntentCreateParams.AutomaticPaymentMethods noRedirects() {
    return PaymentIntentCreateParams.AutomaticPaymentMethods.builder().setEnabled(true)
        .setAllowRedirects(PaymentIntentCreateParams.AutomaticPaymentMethods.AllowRedirects.NEVER).build();
  }

  private static PaymentIntentCreateParams.Builder payment(long amount, String card) {
    return PaymentIntentCreateParams.builder().setAmount(amount).setCurrency("usd").setPaymentMethod(card).setConfirm(true)
        .setCaptureMethod(PaymentIntentCreateParams.CaptureMethod.AUTOMATIC).setAutomaticPaymentMethods(noRedirects());
  }

  private static PaymentIntent pay(long amount, String card) throws StripeException {
    return v1.paymentIntents().create(payment(amount, card).build());
  }

  private static PaymentIntent held() throws StripeException {
    return v1.paymentIntents().create(
        payment(2000, "pm_card_visa").setCaptureMethod(PaymentIntentCreateParams.CaptureMethod.MANUAL).build());
  }

  private static Charge charge(String id) throws StripeException {
    return v1.charges().retrieve(id, ChargeRetrieveParams.builder().addExpand("balance_transaction").build());
  }

  private static RefundCreateParams.Builder refund(String charge) {
    return RefundCreateParams.builder().setCharge(charge);
  }

  private static PaymentIntentConfirmParams with(String card) {
    return PaymentIntentConfirmParams.builder().setPaymentMethod(card).build();
  }

  private static String customer() throws StripeException {
    return v1.customers().create(CustomerCreateParams.builder().setEmail("ada@example.test").build()).getId();
  }

  private static String attach(String card, String customer) throws StripeException {
    return v1.paymentMethods().attach(card, PaymentMethodAttachParams.builder().setCustomer(customer).build()).getId();
  }

  private static String account;

  /** An account that may charge and be paid out. */
  private static String connected() throws StripeException {
    if (account == null) {
      account = v1.accounts().create(AccountCreateParams.builder()
          .setType(AccountCreateParams.Type.CUSTOM)
          .setCountry("US")
          .setBusinessType(AccountCreateParams.BusinessType.INDIVIDUAL)
          .setCapabilities(AccountCreateParams.Capabilities.builder()
              .setCardPayments(AccountCreateParams.Capabilities.CardPayments.builder().setRequested(true).build())
              .setTransfers(AccountCreateParams.Capabilities.Transfers.builder().setRequested(true).build()).build())
          .setBusinessProfile(AccountCreateParams.BusinessProfile.builder()
              .setName("Mill Lane Books").setMcc("5734").setUrl("https://accessible.stripe.com").build())
          .setIndividual(AccountCreateParams.Individual.builder()
              .setFirstName("Jenny").setLastName("Rosen").setEmail("jenny@example.test").setPhone("0000000000")
              .setDob(AccountCreateParams.Individual.Dob.builder().setDay(1L).setMonth(1L).setYear(1901L).build())
              .setAddress(AccountCreateParams.Individual.Address.builder().setLine1("address_full_match")
                  .setCity("San Francisco").setState("CA").setPostalCode("94107").setCountry("US").build())
              .setIdNumber("000000000").build())
          .setExternalAccount("btok_us_verified")
          .setTosAcceptance(AccountCreateParams.TosAcceptance.builder().setDate(1_767_000_000L).setIp("192.0.2.7").build())
          .build()).getId();
    }
    return account;
  }

  private static RequestOptions there() throws StripeException {
    return RequestOptions.builder().setStripeAccount(connected()).build();
  }

  private static Dispute dispute(Inbox inbox, String card) throws Exception {
    String charge = pay(1000, card).getLatestCharge();
    inbox.wait("charge.dispute.created");
    List<Dispute> found = v1.disputes().list(DisputeListParams.builder().setCharge(charge).build()).getData();
    equal(found.size(), 1);
    return found.get(0);
  }

  private static Dispute answer(Dispute dispute, String text, Boolean submit) throws StripeException {
    DisputeUpdateParams.Evidence evidence = DisputeUpdateParams.Evidence.builder().setUncategorizedText(text).build();
    return v1.disputes().update(dispute.getId(), DisputeUpdateParams.builder().setEvidence(evidence).setSubmit(submit).build());
  }

  private static List<Long> amounts(Dispute dispute) {
    return dispute.getBalanceTransactions().stream().map(BalanceTransaction::getAmount).toList();
  }

  static void acceptAPayment() throws Exception {
    Inbox inbox = new Inbox(EnabledEvent.PAYMENT_INTENT__CREATED, EnabledEvent.PAYMENT_INTENT__SUCCEEDED, EnabledEvent.CHARGE__SUCCEEDED);
    PaymentIntent intent = v1.paymentIntents().create(PaymentIntentCreateParams.builder().setAmount(1999L).setCurrency("eur")
        .setAutomaticPaymentMethods(noRedirects()).putMetadata("order", "7").build());
    equal(intent.getStatus(), "requires_payment_method");
    PaymentIntent paid = v1.paymentIntents().confirm(intent.getId(), with("pm_card_mastercard"));
    equal(List.of(paid.getStatus(), paid.getAmountReceived()), List.of("succeeded", 1999L));
    Event event = inbox.wait("payment_intent.succeeded");
    PaymentIntent told = (PaymentIntent) event.getDataObjectDeserializer().deserializeUnsafe();
    equal(List.of(told.getId(), told.getStatus(), told.getMetadata().get("order")), List.of(intent.getId(), "succeeded", "7"));
    equal(v1.events().retrieve(event.getId()).getType(), "payment_intent.succeeded");
  }

  static void confirmTwice() throws Exception {
    PaymentIntent intent = pay(2000, "pm_card_visa");
    StripeException error = refused(() -> v1.paymentIntents().confirm(intent.getId()),
        InvalidRequestException.class, 400, "payment_intent_unexpected_state", null);
    equal(error.getStripeError().getPaymentIntent().getStatus(), "succeeded");
    equal(v1.charges().list(ChargeListParams.builder().setPaymentIntent(intent.getId()).build()).getData().size(), 1);
  }

  static void saveACardAndChargeOffSession() throws Exception {
    String customer = customer();
    SetupIntent setup = v1.setupIntents().create(SetupIntentCreateParams.builder().setCustomer(customer)
        .setUsage(SetupIntentCreateParams.Usage.OFF_SESSION)
        .setAutomaticPaymentMethods(SetupIntentCreateParams.AutomaticPaymentMethods.builder().setEnabled(true)
            .setAllowRedirects(SetupIntentCreateParams.AutomaticPaymentMethods.AllowRedirects.NEVER).build()).build());
    equal(setup.getStatus(), "requires_payment_method");
    setup = v1.setupIntents().confirm(setup.getId(), SetupIntentConfirmParams.builder().setPaymentMethod("pm_card_visa").build());
    equal(setup.getStatus(), "succeeded");
    List<PaymentMethod> cards = v1.paymentMethods().list(
        PaymentMethodListParams.builder().setCustomer(customer).setType(PaymentMethodListParams.Type.CARD).build()).getData();
    equal(List.of(cards.size(), cards.get(0).getId(), cards.get(0).getCustomer()), List.of(1, setup.getPaymentMethod(), customer));
    PaymentIntent paid = v1.paymentIntents().create(
        payment(1500, cards.get(0).getId()).setCustomer(customer).setOffSession(true).build());
    equal(List.of(paid.getStatus(), paid.getPaymentMethod()), List.of("succeeded", cards.get(0).getId()));
  }

  static void offSessionAuthenticationAndRecovery() throws Exception {
    String customer = customer(), card = attach("pm_card_authenticationRequired", customer);
    StripeException error = refused(
        () -> v1.paymentIntents().create(payment(1500, card).setCustomer(customer).setOffSession(true).build()),
        CardException.class, 402, "authentication_required", null);
    equal(((CardException) error).getDeclineCode(), "authentication_required");
    PaymentIntent intent = error.getStripeError().getPaymentIntent();
    equal(List.of(intent.getStatus(), intent.getLastPaymentError().getPaymentMethod().getId()), List.of("requires_payment_method", card));
    PaymentIntent recovered = v1.paymentIntents().confirm(intent.getId(),
        PaymentIntentConfirmParams.builder().setPaymentMethod(card).setReturnUrl("https://shop.example/done").build());
    equal(List.of(recovered.getStatus(), recovered.getNextAction().getType()), List.of("requires_action", "redirect_to_url"));
    authenticate(recovered);
    List<PaymentIntent> found = v1.paymentIntents().list(PaymentIntentListParams.builder().setCustomer(customer).build()).getData();
    equal(List.of(found.size(), found.get(0).getId(), found.get(0).getStatus()), List.of(1, intent.getId(), "succeeded"));
  }

  static void manualCapture() throws Exception {
    PaymentIntent intent = held();
    equal(List.of(intent.getStatus(), intent.getAmountCapturable(), intent.getAmountReceived()), List.of("requires_capture", 2000L, 0L));
    equal(charge(intent.getLatestCharge()).getCaptured(), false);
    PaymentIntent taken = v1.paymentIntents().capture(intent.getId());
    equal(List.of(taken.getStatus(), taken.getAmountCapturable(), taken.getAmountReceived()), List.of("succeeded", 0L, 2000L));
    equal(charge(intent.getLatestCharge()).getBalanceTransactionObject().getAmount(), 2000L);
  }

  static void partialCapture() throws Exception {
    String intent = held().getId();
    refused(() -> v1.paymentIntents().capture(intent, PaymentIntentCaptureParams.builder().setAmountToCapture(2001L).build()),
        InvalidRequestException.class, 400, "amount_too_large", null);
    PaymentIntent taken = v1.paymentIntents().capture(intent, PaymentIntentCaptureParams.builder().setAmountToCapture(1500L).build());
    equal(List.of(taken.getStatus(), taken.getAmount(), taken.getAmountReceived()), List.of("succeeded", 2000L, 1500L));
    Charge charge = charge(taken.getLatestCharge());
    equal(List.of(charge.getAmountCaptured(), charge.getBalanceTransactionObject().getAmount()), List.of(1500L, 1500L));
  }

  static void cancelAnAuthorization() throws Exception {
    PaymentIntent intent = held();
    PaymentIntent gone = v1.paymentIntents().cancel(intent.getId(), PaymentIntentCancelParams.builder()
        .setCancellationReason(PaymentIntentCancelParams.CancellationReason.REQUESTED_BY_CUSTOMER).build());
    equal(List.of(gone.getStatus(), gone.getCancellationReason()), List.of("canceled", "requested_by_customer"));
    equal(charge(intent.getLatestCharge()).getRefunded(), true);
    refused(() -> v1.paymentIntents().capture(intent.getId()), InvalidRequestException.class, 400, "payment_intent_unexpected_state", null);
  }

  static void declineOnConfirm() throws Exception {
    PaymentIntent intent = v1.paymentIntents().create(PaymentIntentCreateParams.builder().setAmount(100L).setCurrency("eur")
        .setPaymentMethod("pm_card_visa_chargeDeclinedInsufficientFunds").setAutomaticPaymentMethods(noRedirects())
        .setCaptureMethod(PaymentIntentCreateParams.CaptureMethod.MANUAL).build());
    equal(intent.getStatus(), "requires_confirmation");
    StripeError error = refused(() -> v1.paymentIntents().confirm(intent.getId()), CardException.class, 402, "card_declined", null)
        .getStripeError();
    equal(List.of(error.getDeclineCode(), error.getAdviceCode(), error.getNetworkDeclineCode()),
        List.of("insufficient_funds", "try_again_later", "51"));
    PaymentIntent failed = v1.paymentIntents().retrieve(intent.getId());
    equal(List.of(failed.getStatus(), failed.getLatestCharge()), List.of("requires_payment_method", error.getCharge()));
    equal(failed.getPaymentMethod(), null);
    equal(failed.getLastPaymentError().getCode(), "card_declined");
    equal(charge(error.getCharge()).getStatus(), "failed");
    PaymentIntent retried = v1.paymentIntents().confirm(intent.getId(), with("pm_card_visa"));
    equal(retried.getStatus(), "requires_capture");
    equal(retried.getLastPaymentError(), null);
  }

  static void declineCodes() throws Exception {
    for (String[] row : DECLINES) {
      CardException error = (CardException) refused(() -> pay(2000, "pm_card_" + row[0]), CardException.class, 402, row[1], null);
      equal(List.of(row[0], error.getDeclineCode()), List.of(row[0], row[2]));
      equal(error.getStripeError().getPaymentIntent().getStatus(), "requires_payment_method");
    }
  }

  static void refundInParts() throws Exception {
    PaymentIntent intent = pay(2000, "pm_card_visa");
    String charge = intent.getLatestCharge();
    Refund part = v1.refunds().create(RefundCreateParams.builder().setPaymentIntent(intent.getId()).setAmount(500L)
        .setReason(RefundCreateParams.Reason.REQUESTED_BY_CUSTOMER).build());
    equal(List.of(part.getStatus(), part.getAmount(), part.getReason()), List.of("succeeded", 500L, "requested_by_customer"));
    equal(List.of(charge(charge).getAmountRefunded(), charge(charge).getRefunded()), List.of(500L, false));
    Refund rest = v1.refunds().create(refund(charge).build());
    equal(rest.getAmount(), 1500L);
    equal(List.of(charge(charge).getAmountRefunded(), charge(charge).getRefunded()), List.of(2000L, true));
    List<Refund> found = v1.refunds().list(RefundListParams.builder().setCharge(charge).build()).getData();
    equal(found.stream().map(Refund::getId).toList(), List.of(rest.getId(), part.getId()));
  }

  static void refundTooMuch() throws Exception {
    String charge = pay(1000, "pm_card_visa").getLatestCharge(), other = pay(2000, "pm_card_visa").getLatestCharge();
    StripeException error = refused(() -> v1.refunds().create(refund(charge).setAmount(1100L).build()),
        InvalidRequestException.class, 400, null, "amount");
    equal(error.getUserMessage(), "Refund amount ($11.00) is greater than charge amount ($10.00)");
    equal(error.getCode(), null);
    v1.refunds().create(refund(charge).setAmount(500L).build());
    error = refused(() -> v1.refunds().create(refund(charge).setAmount(600L).build()), InvalidRequestException.class, 400, null, null);
    equal(error.getUserMessage(), "Refund amount ($6.00) is greater than unrefunded amount on charge ($5.00)");
    v1.refunds().create(refund(charge).build());
    refused(() -> v1.refunds().create(refund(charge).setAmount(100L).build()),
        InvalidRequestException.class, 400, "charge_already_refunded", null);
    refused(() -> v1.refunds().create(refund(other).setAmount(-1L).build()),
        InvalidRequestException.class, 400, "parameter_invalid_integer", "amount");
  }

  static void disputeLost() throws Exception {
    Inbox inbox = new Inbox(EnabledEvent.CHARGE__DISPUTE__CREATED, EnabledEvent.CHARGE__DISPUTE__CLOSED);
    Dispute dispute = dispute(inbox, "pm_card_createDispute");
    equal(List.of(dispute.getStatus(), dispute.getReason(), dispute.getAmount()), List.of("needs_response", "fraudulent", 1000L));
    BalanceTransaction row = dispute.getBalanceTransactions().get(0);
    equal(List.of(row.getAmount(), row.getFee(), row.getNet(), row.getType()), List.of(-1000L, 1500L, -2500L, "adjustment"));
    equal(answer(dispute, "losing_evidence", null).getStatus(), "under_review");
    inbox.wait("charge.dispute.closed");
    Dispute lost = v1.disputes().retrieve(dispute.getId());
    equal(List.of(lost.getStatus(), lost.getIsChargeRefundable(), amounts(lost)), List.of("lost", false, List.of(-1000L)));
  }

  static void disputeWon() throws Exception {
    Inbox inbox = new Inbox(EnabledEvent.CHARGE__DISPUTE__CREATED, EnabledEvent.CHARGE__DISPUTE__CLOSED);
    Dispute dispute = dispute(inbox, "pm_card_createDisputeProductNotReceived");
    equal(dispute.getReason(), "product_not_received");
    Dispute staged = answer(dispute, "winning_evidence", false);
    equal(List.of(staged.getStatus(), staged.getEvidenceDetails().getSubmissionCount()), List.of("needs_response", 0L));
    equal(v1.disputes().update(dispute.getId(), DisputeUpdateParams.builder().setSubmit(true).build()).getStatus(), "under_review");
    inbox.wait("charge.dispute.closed");
    Dispute won = v1.disputes().retrieve(dispute.getId());
    equal(List.of(won.getStatus(), amounts(won)), List.of("won", List.of(-1000L, 1000L)));
  }

  static void customerCards() throws Exception {
    String customer = customer(), visa = attach("pm_card_visa", customer), mastercard = attach("pm_card_mastercard", customer);
    Customer changed = v1.customers().update(customer, CustomerUpdateParams.builder().setInvoiceSettings(
        CustomerUpdateParams.InvoiceSettings.builder().setDefaultPaymentMethod(mastercard).build()).build());
    equal(changed.getInvoiceSettings().getDefaultPaymentMethod(), mastercard);
    List<PaymentMethod> kept = v1.customers().paymentMethods().list(customer).getData();
    equal(kept.stream().map(PaymentMethod::getId).toList(), List.of(mastercard, visa));
    equal(kept.stream().map(method -> method.getCard().getBrand()).toList(), List.of("mastercard", "visa"));
    refused(() -> attach("pm_card_chargeDeclined", customer), CardException.class, 402, "card_declined", null);
    equal(v1.paymentMethods().detach(visa).getCustomer(), null);
    equal(v1.paymentMethods().list(PaymentMethodListParams.builder().setCustomer(customer).build()).getData().size(), 1);
    refused(() -> v1.paymentIntents().create(payment(2000, visa).setCustomer(customer).build()), InvalidRequestException.class, 400, null, null);
    v1.paymentMethods().detach(mastercard);
    equal(v1.customers().retrieve(customer).getInvoiceSettings().getDefaultPaymentMethod(), null);
  }

  static void onboardAConnectedAccount() throws Exception {
    Inbox inbox = Inbox.connect(EnabledEvent.ACCOUNT__UPDATED);
    String made = connected();
    equal(inbox.wait("account.updated").getAccount(), made);
    Account shown = v1.accounts().retrieve(made);
    equal(List.of(shown.getChargesEnabled(), shown.getPayoutsEnabled(), shown.getDetailsSubmitted()), List.of(true, true, true));
    equal(List.of(shown.getCapabilities().getTransfers(), shown.getRequirements().getCurrentlyDue(),
        shown.getRequirements().getPendingVerification()), List.of("active", List.of(), List.of()));
  }

  static void directChargeWithAFee() throws Exception {
    String charge = v1.paymentIntents().create(payment(1000, "pm_card_visa").setApplicationFeeAmount(120L).build(), there()).getLatestCharge();
    ApplicationFee fee = v1.applicationFees().list(ApplicationFeeListParams.builder().setCharge(charge).build()).getData().get(0);
    equal(List.of(fee.getAmount(), fee.getAccount()), List.of(120L, connected()));
    v1.refunds().create(refund(charge).setAmount(500L).build(), there());
    equal(v1.applicationFees().retrieve(fee.getId()).getAmountRefunded(), 0L);
    v1.refunds().create(refund(charge).setAmount(500L).setRefundApplicationFee(true).build(), there());
    ApplicationFee left = v1.applicationFees().retrieve(fee.getId());
    equal(List.of(left.getAmountRefunded(), left.getRefunded()), List.of(60L, false));
  }

  static void destinationChargeWithAFee() throws Exception {
    Charge charge = v1.paymentIntents().create(payment(1000, "pm_card_visa").setApplicationFeeAmount(123L)
        .setTransferData(PaymentIntentCreateParams.TransferData.builder().setDestination(connected()).build())
        .addExpand("latest_charge.transfer").build()).getLatestChargeObject();
    Transfer transfer = charge.getTransferObject();
    equal(List.of(transfer.getAmount(), transfer.getDestination()), List.of(1000L, connected()));
    BalanceTransaction row = v1.balanceTransactions().list(
        BalanceTransactionListParams.builder().setSource(transfer.getDestinationPayment()).build(), there()).getData().get(0);
    equal(List.of(row.getAmount(), row.getFee(), row.getNet()), List.of(1000L, 123L, 877L));
    ApplicationFee fee = v1.applicationFees().retrieve(charge.getApplicationFee());
    equal(List.of(fee.getAmount(), fee.getOriginatingTransaction()), List.of(123L, charge.getId()));
  }

  static void destinationChargeRefundedInPart() throws Exception {
    String charge = v1.paymentIntents().create(payment(1200, "pm_card_visa").setTransferData(
        PaymentIntentCreateParams.TransferData.builder().setDestination(connected()).setAmount(880L).build()).build()).getLatestCharge();
    String transfer = charge(charge).getTransfer();
    equal(v1.refunds().create(refund(charge).setAmount(200L).build()).getTransferReversal(), null);
    equal(v1.transfers().retrieve(transfer).getAmountReversed(), 0L);
    Refund back = v1.refunds().create(refund(charge).setAmount(500L).setReverseTransfer(true).setRefundApplicationFee(true).build());
    Transfer shown = v1.transfers().retrieve(transfer);
    TransferReversal reversal = shown.getReversals().getData().get(0);
    equal(List.of(shown.getAmountReversed(), shown.getReversed(), reversal.getAmount()), List.of(367L, false, 367L));
    equal(List.of(back.getTransferReversal(), reversal.getSourceRefund()), List.of(reversal.getId(), back.getId()));
  }

  private static long available() throws StripeException {
    return v1.balance().retrieve(there()).getAvailable().get(0).getAmount();
  }

  private static PayoutCreateParams payout(long amount) {
    return PayoutCreateParams.builder().setAmount(amount).setCurrency("usd").build();
  }

  static void payouts() throws Exception {
    v1.paymentIntents().create(payment(100_000, "pm_card_bypassPending").build(), there());
    long before = available();
    refused(() -> v1.payouts().create(payout(before + 1), there()), InvalidRequestException.class, 400, "balance_insufficient", null);
    equal(v1.payouts().list(there()).getData(), List.of());
    Payout made = v1.payouts().create(payout(5000), there());
    equal(List.of(made.getStatus(), made.getAmount(), made.getAutomatic()), List.of("pending", 5000L, false));
    equal(available(), before - 5000);
    equal(v1.payouts().cancel(made.getId(), there()).getStatus(), "canceled");
    equal(available(), before);
  }

  static void balanceTransactionsAndFees() throws Exception {
    long before = v1.balance().retrieve().getPending().get(0).getAmount();
    String charge = pay(10_000, "pm_card_visa").getLatestCharge();
    BalanceTransaction row = v1.balanceTransactions().list(BalanceTransactionListParams.builder().setSource(charge).build()).getData().get(0);
    equal(List.of(row.getType(), row.getAmount(), row.getFee(), row.getNet(), row.getStatus()),
        List.of("charge", 10_000L, 320L, 9680L, "pending"));
    equal(v1.balance().retrieve().getPending().get(0).getAmount(), before + 9680);
    equal(charge(pay(10_000, "pm_card_gb").getLatestCharge()).getBalanceTransactionObject().getFee(), 470L);
    BalanceTransaction back = v1.refunds().create(refund(charge).addExpand("balance_transaction").build()).getBalanceTransactionObject();
    equal(List.of(back.getType(), back.getAmount(), back.getFee()), List.of("refund", -10_000L, 0L));
  }

  static void idempotentRetries() throws Exception {
    String customer = customer(), card = attach("pm_card_visa", customer);
    RequestOptions once = RequestOptions.builder().setIdempotencyKey("java-" + System.nanoTime()).build();
    PaymentIntent first = v1.paymentIntents().create(payment(1500, card).setCustomer(customer).build(), once);
    equal(v1.paymentIntents().create(payment(1500, card).setCustomer(customer).build(), once).getId(), first.getId());
    equal(v1.charges().list(ChargeListParams.builder().setCustomer(customer).build()).getData().size(), 1);
    refused(() -> v1.paymentIntents().create(payment(1600, card).setCustomer(customer).build(), once),
        IdempotencyException.class, 400, null, null);
    RequestOptions declined = RequestOptions.builder().setIdempotencyKey("java-declined-" + System.nanoTime()).build();
    Scenario again = () -> v1.paymentIntents().create(payment(2000, "pm_card_chargeDeclined").build(), declined);
    StripeError one = refused(again, CardException.class, 402, "card_declined", null).getStripeError();
    StripeError two = refused(again, CardException.class, 402, "card_declined", null).getStripeError();
    equal(List.of(two.getCharge(), two.getPaymentIntent().getId()), List.of(one.getCharge(), one.getPaymentIntent().getId()));
  }

  static void stripeAccountIsolation() throws Exception {
    String id = v1.customers().create(CustomerCreateParams.builder().setName("Ada").build(), there()).getId();
    StripeException error = refused(() -> v1.customers().retrieve(id), InvalidRequestException.class, 404, "resource_missing", "id");
    equal(error.getUserMessage(), "No such customer: '" + id + "'");
    equal(v1.customers().retrieve(id, there()).getName(), "Ada");
    refused(() -> v1.customers().list(RequestOptions.builder().setStripeAccount("acct_1Nobody").build()),
        PermissionException.class, 403, "account_invalid", null);
  }

  public static void main(String[] arguments) {
    Map<String, Scenario> scenarios = new LinkedHashMap<>();
    scenarios.put("accept_a_payment", Scenarios::acceptAPayment);
    scenarios.put("confirm_twice", Scenarios::confirmTwice);
    scenarios.put("save_a_card_and_charge_off_session", Scenarios::saveACardAndChargeOffSession);
    scenarios.put("off_session_authentication_and_recovery", Scenarios::offSessionAuthenticationAndRecovery);
    scenarios.put("manual_capture", Scenarios::manualCapture);
    scenarios.put("partial_capture", Scenarios::partialCapture);
    scenarios.put("cancel_an_authorization", Scenarios::cancelAnAuthorization);
    scenarios.put("decline_on_confirm", Scenarios::declineOnConfirm);
    scenarios.put("decline_codes", Scenarios::declineCodes);
    scenarios.put("refund_in_parts", Scenarios::refundInParts);
    scenarios.put("refund_too_much", Scenarios::refundTooMuch);
    scenarios.put("dispute_lost", Scenarios::disputeLost);
    scenarios.put("dispute_won", Scenarios::disputeWon);
    scenarios.put("customer_cards", Scenarios::customerCards);
    scenarios.put("onboard_a_connected_account", Scenarios::onboardAConnectedAccount);
    scenarios.put("direct_charge_with_a_fee", Scenarios::directChargeWithAFee);
    scenarios.put("destination_charge_with_a_fee", Scenarios::destinationChargeWithAFee);
    scenarios.put("destination_charge_refunded_in_part", Scenarios::destinationChargeRefundedInPart);
    scenarios.put("payouts", Scenarios::payouts);
    scenarios.put("balance_transactions_and_fees", Scenarios::balanceTransactionsAndFees);
    scenarios.put("idempotent_retries", Scenarios::idempotentRetries);
    scenarios.put("stripe_account_isolation", Scenarios::stripeAccountIsolation);
    run(scenarios);
  }
}
