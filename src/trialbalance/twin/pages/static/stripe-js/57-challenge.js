
// --- the bank's challenge -----------------------------------------------------------------------------------------

Object.assign(confirming, {
  // Shows the bank over the page, then reads the intent again: succeeded, or an error that says why not.
  async _challenge(collection, intent, action, secret) {
    const away = leaving(action);
    if (away) {
      window.location.assign(away);
      return new Promise(() => {});
    }
    const shown = action[action.type];
    if (/_display_(details|qr_code)$/.test(action.type)) {
      await show(this._data, action.type, shown, collection === 'setup_intents' ? 'setup_intent' : 'payment_intent', intent.id, secret);
      return this._controller.api('GET', `/v1/${collection}/${intent.id}`, { client_secret: secret });
    }
    const sdk = action.use_stripe_sdk;
    if (!sdk) return intent;
    const kind = collection === 'setup_intents' ? 'setup_intent' : 'payment_intent';
    await overlay(this._data, { source: sdk.three_d_secure_2_source, merchant: sdk.merchant, kind, intent: intent.id, secret });
    const after = await this._controller.api('GET', `/v1/${collection}/${intent.id}`, { client_secret: secret });
    if (/^requires_(payment_method|source)$/.test(after.status)) {
      const error = after.last_payment_error || after.last_setup_error;
      throw { error: { ...error, [kind]: after } };
    }
    return after;
  },
});

function overlay(data, note) {
  const veil = cover('Card authentication');
  const frame = new Frame({ document: 'three-ds-2-challenge', frameName: `__privateStripeFrame${randomDigits()}`, title: 'Card authentication', data: { ...data, ...note } });
  frame.style({ width: 'min(460px, 100%)', 'min-width': '0', height: 'min(560px, 100%)', 'border-radius': '12px', background: '#fff' });
  veil.appendChild(frame.iframe);
  const focused = document.activeElement;
  document.body.appendChild(veil);
  frame.iframe.focus();
  return new Promise((resolve) => {
    frame.on('done', () => {
      frame.destroy();
      veil.remove();
      if (focused && focused.focus) focused.focus();
      resolve();
    });
  });
}

// Where the customer must go, for actions that lead away.
function leaving(action) {
  const found = action[action.type];
  if (['redirect_to_url', 'authorize_with_url', 'alipay_handle_redirect'].includes(action.type)) return found.url;
  if (/_handle_redirect_or_display_qr_code$/.test(action.type)) return found.hosted_instructions_url;
  return null;
}

// Details to pay with, or a code to scan, over the page; closed by the customer.
function show(data, type, details, kind, intent, secret) {
  const veil = cover('Payment instructions');
  const frame = new Frame({ document: 'payment-instructions', frameName: `__privateStripeFrame${randomDigits()}`, title: 'Payment instructions', data: { ...data, kind, intent, secret } });
  frame.style({ width: 'min(460px, 100%)', 'min-width': '0', height: 'min(620px, 100%)', 'border-radius': '12px', background: '#fff' });
  frame.greet('init', { type, details });
  veil.appendChild(frame.iframe);
  document.body.appendChild(veil);
  return new Promise((resolve) => {
    frame.on('done', () => {
      frame.destroy();
      veil.remove();
      resolve();
    });
  });
}
