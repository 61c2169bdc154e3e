// The Payment Method Messaging Element: what paying later would mean for an amount.

import { h } from '../ui/dom.js';
import { methodOf } from '../ui/methods.js';
import { modern } from './modern.js';

const PARTS = { affirm: 4, afterpay_clearpay: 4, klarna: 4 };

modern({
  build({ options, words }) {
    const { amount, currency, paymentMethodTypes = ['klarna', 'afterpay_clearpay', 'affirm'] } = options;
    const offered = paymentMethodTypes.filter((type) => PARTS[type]);
    if (!amount || !currency || !offered.length) return [];
    const parts = 4;
    const each = words.money(Math.ceil(amount / parts), currency.toLowerCase());
    return h('p', { class: 'note' }, words.say('payLater', { parts, amount: each, methods: offered.map((type) => methodOf(type).title).join(', ') }));
  },
});
