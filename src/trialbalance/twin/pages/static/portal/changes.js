// Ending a subscription, pausing it, and moving it to another price.

import { h, replace } from '../ui/dom.js';
import { tell } from './message.js';

const REASONS = ['too_expensive', 'missing_features', 'switched_service', 'unused', 'customer_service', 'too_complex', 'low_quality', 'other'];

export function cancelView(portal, found) {
  const { page, words } = portal;
  const rules = page.features.subscription_cancel;
  const atEnd = rules.mode === 'at_period_end';
  const message = h('div', { hidden: true });
  const asks = rules.cancellation_reason?.enabled;
  const reason = asks ? h('fieldset', { class: 'section' }, h('legend', { class: 'label' }, words.say('whyCancel')), REASONS.filter((key) => rules.cancellation_reason.options.includes(key)).map((key) =>
    h('label', { class: 'choice' }, h('input', { type: 'radio', name: 'feedback', value: key }), h('span', {}, words.say(`why_${key}`))))) : null;
  const own = asks ? page.feedback_options.map((option) => h('label', { class: 'choice' }, h('input', { type: 'radio', name: 'feedback', value: option.id }), h('span', {}, option.description))) : [];
  if (reason) reason.append(...own);
  const comment = asks ? h('label', { class: 'group' }, h('span', { class: 'label' }, `${words.say('tellMore')} `, h('small', { class: 'optional' }, `(${words.say('optional')})`)), h('textarea', { class: 'control', name: 'comment', rows: 3 })) : null;
  const { offer } = page;
  const off = offer && (offer.percent_off !== null ? words.say('discountOff', { percent: words.percent(offer.percent_off) }) : words.say('discountOffAmount', { amount: words.money(offer.amount_off, offer.currency) }));
  const keep = offer ? h('div', { class: 'card section', 'data-testid': 'offer' }, h('h2', {}, words.say('offerTitle')), h('p', {}, words.say('offerText', { name: found.items[0].product, off })),
    h('div', {}, h('button', { type: 'button', class: 'button primary', onclick: () => portal.change('stay', '/stay', { subscription: found.id }, () => portal.finish(), message) }, words.say('acceptOffer')))) : null;
  return h('form', {
    class: 'section', novalidate: true, 'data-testid': 'cancel',
    onsubmit: (event) => {
      event.preventDefault();
      const chosen = event.target.querySelector('input[name="feedback"]:checked')?.value;
      const mine = page.feedback_options.some((option) => option.id === chosen);
      const params = { subscription: found.id, [mine ? 'feedback_option' : 'feedback']: chosen, comment: comment?.querySelector('textarea').value.trim() || undefined };
      portal.change('cancel', '/cancel', params, () => portal.finish(), message);
    },
  },
  h('h1', { tabindex: -1 }, words.say('cancelSubscription')),
  h('p', {}, atEnd ? words.say('cancelAtEnd', { name: found.items[0].product, date: words.date(found.period_end) }) : words.say('cancelNow', { name: found.items[0].product })),
  reason, comment, message, keep,
  h('div', { class: 'actions' }, h('button', { type: 'submit', class: `button ${offer ? '' : 'primary'}`, 'data-testid': 'confirm' }, words.say('cancelSubscription')), h('button', { type: 'button', class: 'button', onclick: () => portal.finish() }, words.say('goBack'))));
}

export function pauseView(portal, found) {
  const { page, words } = portal;
  const { type, interval_options: options } = page.features.subscription_pause.duration;
  const message = h('div', { hidden: true });
  const long = (option) => new Intl.NumberFormat(words.locale, { style: 'unit', unit: option.interval, unitDisplay: 'long' }).format(option.interval_count);
  const choices = type === 'interval_options' ? h('fieldset', { class: 'section' }, h('legend', { class: 'label' }, words.say('pauseFor')), options.map((option, place) =>
    h('label', { class: 'choice' }, h('input', { type: 'radio', name: 'duration', value: place, checked: place === 0 }), h('span', {}, long(option))))) : null;
  return h('form', {
    class: 'section', novalidate: true, 'data-testid': 'pause',
    onsubmit: (event) => {
      event.preventDefault();
      const option = options[event.target.querySelector('input[name="duration"]:checked')?.value] ?? {};
      portal.change('pause', '/pause', { subscription: found.id, ...option }, () => portal.finish(), message);
    },
  },
  h('h1', { tabindex: -1 }, words.say('pauseSubscription')),
  h('p', {}, words.say('pauseText', { name: found.items[0].product })), choices, message,
  h('div', { class: 'actions' }, h('button', { type: 'submit', class: 'button primary', 'data-testid': 'confirm' }, words.say('pauseSubscription')), h('button', { type: 'button', class: 'button', onclick: () => portal.finish() }, words.say('goBack'))));
}

export function switchView(portal, found, planned) {
  const { page, words } = portal;
  const item = found.items[0];
  const message = h('div', { hidden: true });
  const preview = h('div', { class: 'section', hidden: true, 'data-testid': 'preview', 'aria-live': 'polite' });
  const confirm = h('button', { type: 'button', class: 'button primary', disabled: true, 'data-testid': 'confirm' }, words.say('confirm'));
  const allowed = page.features.subscription_update.default_allowed_updates;
  let items = planned ?? null;
  let code;
  const every = (rule) => (rule.interval_count === 1 ? words.say(`every${rule.interval}`) : words.say(`every${rule.interval}s`, { count: rule.interval_count }));

  async function look() {
    message.hidden = true;
    try {
      const made = await portal.ask('/preview', { subscription: found.id, items: items ?? [{ id: item.id }], promotion_code: code });
      preview.hidden = false;
      confirm.disabled = false;
      replace(preview, h('h2', {}, words.say('whatChanges')), made.changes_at ? h('p', { class: 'soft' }, words.say('changesOn', { date: words.date(made.changes_at) })) : null, h('table', { class: 'lines' }, h('tbody', {}, made.lines.map((line) => h('tr', {}, h('td', {}, line.description ?? ''), h('td', { class: 'number' }, words.money(line.amount, made.currency))))),
        h('tfoot', {}, h('tr', { class: 'total' }, h('td', {}, words.say('nextInvoice')), h('td', { class: 'number' }, words.money(made.total, made.currency))))));
    } catch (problem) {
      confirm.disabled = true;
      tell(message, problem.error?.message ?? words.say('something'));
    }
  }

  const quantity = allowed.includes('quantity') && item.quantity !== null && !planned
    ? h('label', { class: 'group' }, h('span', { class: 'label' }, words.say('quantityShort')), h('input', { class: 'control', type: 'number', min: 1, name: 'quantity', value: item.quantity, onchange: (event) => { items = [{ ...(items?.[0] ?? { id: item.id }), quantity: Number(event.target.value) }]; look(); } }))
    : null;
  const entry = h('input', { class: 'control', type: 'text', name: 'promotionCode', autocomplete: 'off', autocapitalize: 'characters', 'aria-label': words.say('promotionCode'), placeholder: words.say('promotionCode') });
  const promotion = allowed.includes('promotion_code') && !planned
    ? h('div', { class: 'entry' }, entry, h('button', { type: 'button', class: 'button', 'data-testid': 'promotion-code-apply', onclick: () => { code = entry.value.trim() || undefined; look(); } }, words.say('apply')))
    : null;
  const choices = planned || !allowed.includes('price') ? null : h('fieldset', { class: 'section' }, h('legend', { class: 'label' }, words.say('choosePlan')), page.products.map((product) => product.prices.map((price) =>
    h('label', { class: 'card choice' },
      h('input', { type: 'radio', name: 'price', value: price.id, checked: price.id === item.price.id, onchange: () => { items = [{ id: item.id, price: price.id, ...(items?.[0]?.quantity ? { quantity: items[0].quantity } : {}) }]; look(); } }),
      h('span', {}, h('b', {}, product.name), product.description ? h('small', { class: 'soft' }, ` · ${product.description}`) : null, h('br', {}), `${words.money(price.unit_amount ?? 0, price.currency)} ${price.recurring ? every(price.recurring) : ''}`)))));
  confirm.addEventListener('click', () => portal.change('switch', '/switch', { subscription: found.id, items: items ?? [{ id: item.id }], promotion_code: code }, () => portal.finish(), message));
  if (planned) look();
  return h('div', { class: 'section', 'data-testid': 'switch' }, h('h1', { tabindex: -1 }, words.say('updateSubscription')), choices, quantity, promotion, preview, message, h('div', { class: 'actions' }, confirm, h('button', { type: 'button', class: 'button', onclick: () => portal.finish() }, words.say('goBack'))));
}
