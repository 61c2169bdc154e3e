// What a group of elements asks the API for: the intent behind it, or the intent that will be made later.

export function sessionParams(group) {
  const { elements = {}, customerSessionClientSecret } = group;
  const common = { customer_session_client_secret: customerSessionClientSecret, locale: group.locale };
  if (elements.clientSecret) {
    const type = elements.clientSecret.startsWith('cs_') ? 'checkout' : elements.clientSecret.startsWith('seti_') ? 'setup_intent' : 'payment_intent';
    return { ...common, type, client_secret: elements.clientSecret };
  }
  return {
    ...common,
    type: 'deferred_intent',
    deferred_intent: {
      mode: elements.mode, amount: elements.amount, currency: elements.currency,
      setup_future_usage: elements.setupFutureUsage ?? elements.setup_future_usage ?? undefined,
      capture_method: elements.captureMethod ?? elements.capture_method, on_behalf_of: elements.onBehalfOf ?? elements.on_behalf_of,
      payment_method_configuration: elements.paymentMethodConfiguration ?? elements.payment_method_configuration,
      payment_method_types: elements.paymentMethodTypes ?? elements.payment_method_types,
      allowed_payment_method_types: elements.allowedPaymentMethodTypes, excluded_payment_method_types: elements.excludedPaymentMethodTypes,
    },
  };
}
