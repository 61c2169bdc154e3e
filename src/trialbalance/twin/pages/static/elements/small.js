// The Currency Selector: one currency is what a session of the twin has; it is shown, and there is nothing to choose.

import { h } from '../ui/dom.js';
import { changed, modern } from './modern.js';

modern({
  build({ group, words }) {
    const options = group.elements?.currencyOptions ?? [];
    const chosen = group.elements?.currency ?? 'usd';
    if (options.length < 2) return h('p', { class: 'note', 'data-testid': 'currency' }, chosen.toUpperCase());
    return h('div', { class: 'tabs', role: 'group', 'aria-label': 'Currency' }, options.map((option) =>
      h('button', { type: 'button', class: `Tab ${option.currency === chosen ? 'Tab--selected' : ''}`, 'aria-pressed': String(option.currency === chosen), onclick: () => changed({ elementType: 'currencySelector', value: { currency: option.currency } }) },
        `${option.currency.toUpperCase()} ${words.money(option.minorUnitsAmount, option.currency)}`)));
  },
});
