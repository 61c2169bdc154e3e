// The bank's own page, over the checkout, until the customer has answered it.

import { h } from './dom.js';
import { hosts } from './hosts.js';

let count = 0;

// Where the customer must go, for actions that lead away.
export function leaving(action) {
  const found = action[action.type];
  if (['redirect_to_url', 'authorize_with_url', 'alipay_handle_redirect'].includes(action.type)) return found.url;
  return /_handle_redirect_or_display_qr_code$/.test(action.type) ? found.hosted_instructions_url : null;
}

// Details to pay with, or a code to scan, until the customer closes them.
export function instruct(intent, api) {
  const { type } = intent.next_action;
  return overlay('payment-instructions', 'Payment instructions', { kind: intent.object, intent: intent.id, secret: intent.client_secret }, api, { type, details: intent.next_action[type] });
}

export function challenge(intent, api) {
  const sdk = intent.next_action.use_stripe_sdk;
  return overlay('three-ds-2-challenge', 'Card authentication', { source: sdk.three_d_secure_2_source, merchant: sdk.merchant, kind: intent.object, intent: intent.id, secret: intent.client_secret }, api);
}

function overlay(page, title, data, api, first) {
  count += 1;
  const name = `__privateStripeFrame${9000 + count}`;
  const note = new URLSearchParams({ apiKey: api.key, frame: name, parent: location.origin, locale: document.documentElement.lang, ...data, ...(api.account ? { account: api.account } : {}) });
  const build = document.querySelector('meta[name="build"]').content;
  const frame = h('iframe', { name, title, src: `${hosts.js}/v3/${page}-${build}.html#${note}` });
  const veil = h('div', { class: 'veil', role: 'dialog', 'aria-modal': 'true', 'aria-label': title }, frame);
  document.body.append(veil);
  frame.focus();
  return new Promise((resolve) => {
    const listen = (event) => {
      const message = event.data;
      if (event.source !== frame.contentWindow || event.origin !== hosts.js || message?.stripeFrame !== name) return;
      if (message.type === 'loaded' && first) frame.contentWindow.postMessage({ stripeParent: name, action: 'init', payload: first }, hosts.js);
      if (message.type !== 'done') return;
      window.removeEventListener('message', listen);
      veil.remove();
      resolve();
    };
    window.addEventListener('message', listen);
  });
}
