
// --- the bank's challenge -----------------------------------------------------------------------------------------

Object.assign(confirming, {
  // Shows the bank over the page, then reads the intent again: succeeded, or an error that says why not.
  async _challenge(collection, intent, action, secret) {
    if (action.type === 'redirect_to_url' || action.type === 'authorize_with_url') {
      window.location.assign((action.redirect_to_url || action.authorize_with_url).url);
      return new Promise(() => {});
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
  const veil = document.createElement('div');
  const style = { position: 'fixed', inset: '0', 'z-index': '2147483647', display: 'grid', 'place-items': 'center', padding: '16px', background: 'rgba(10, 20, 27, 0.72)', 'box-sizing': 'border-box' };
  for (const [name, value] of Object.entries(style)) veil.style.setProperty(name, value, 'important');
  veil.setAttribute('role', 'dialog');
  veil.setAttribute('aria-modal', 'true');
  veil.setAttribute('aria-label', 'Card authentication');
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
