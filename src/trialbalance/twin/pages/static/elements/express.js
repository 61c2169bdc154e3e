// The Express Checkout Element: buttons of wallets. In a test there are Link and a wallet of the twin's own.

import { h } from '../ui/dom.js';
import { icon } from '../ui/icons.js';
import { emit } from './channel.js';
import { api, modern } from './modern.js';
import { sessionParams } from './session.js';

const WALLETS = [['googlePay', 'google_pay', 'Test wallet', 'test', 'card'], ['link', 'link', 'Link', 'link', 'link']];

modern({
  quiet: true,
  async build({ options, group }) {
    const session = await api.call('GET', '/v1/elements/sessions', sessionParams(group)).catch((problem) => {
      emit('loaderror', { error: problem.error });
      return null;
    });
    if (!session) return [];
    const rules = { ...options.wallets, ...options.paymentMethods };
    const shown = WALLETS.filter(([key]) => rules[key] !== 'never' && (key !== 'link' || session.link.enabled) && (key === 'link' || session.payment_method_types.includes('card')));
    const available = { amazonPay: false, applePay: false, googlePay: false, klarna: false, link: false, paypal: false };
    for (const [key] of shown) available[key] = true;
    queueMicrotask(() => emit('available', { availablePaymentMethods: shown.length ? available : undefined }));
    if (options.buttonHeight) document.documentElement.style.setProperty('--button-height', `${options.buttonHeight}px`);
    return h('div', { class: 'wallets', role: 'group', 'aria-label': 'Express checkout' }, shown.map(([, kind, title, look, mark]) =>
      h('button', { type: 'button', class: `button ${look}`, 'data-testid': `${kind}-button`, 'aria-label': `Pay with ${title}`, onclick: () => emit('clicked', { expressPaymentType: kind }) }, icon(mark), title)));
  },
  shared() {},
});
