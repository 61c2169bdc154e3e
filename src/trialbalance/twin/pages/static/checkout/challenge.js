// The bank's own page, over the checkout, until the customer has answered it.

import { h } from '../ui/dom.js';
import { hosts } from '../ui/hosts.js';

let count = 0;

export function challenge(intent, api) {
  const action = intent.next_action;
  if (action.type === 'redirect_to_url') {
    window.top.location.assign(action.redirect_to_url.url);
    return new Promise(() => {});
  }
  const sdk = action.use_stripe_sdk;
  count += 1;
  const name = `__privateStripeFrame${9000 + count}`;
  const note = new URLSearchParams({
    apiKey: api.key, frame: name, parent: location.origin, source: sdk.three_d_secure_2_source, merchant: sdk.merchant,
    kind: intent.object, intent: intent.id, secret: intent.client_secret, ...(api.account ? { account: api.account } : {}),
  });
  const build = document.querySelector('meta[name="build"]').content;
  const frame = h('iframe', { name, title: 'Card authentication', src: `${hosts.js}/v3/three-ds-2-challenge-${build}.html#${note}` });
  const veil = h('div', { class: 'veil', role: 'dialog', 'aria-modal': 'true', 'aria-label': 'Card authentication' }, frame);
  document.body.append(veil);
  frame.focus();
  return new Promise((resolve) => {
    const listen = (event) => {
      const message = event.data;
      if (event.source !== frame.contentWindow || event.origin !== hosts.js || message?.stripeFrame !== name || message.type !== 'done') return;
      window.removeEventListener('message', listen);
      veil.remove();
      resolve();
    };
    window.addEventListener('message', listen);
  });
}
