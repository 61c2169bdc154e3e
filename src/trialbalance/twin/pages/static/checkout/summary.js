// What is bought: lines, quantities, discounts, shipping, taxes, the total. Drawn anew after every change.

import { h, replace } from '../ui/dom.js';
import { icon } from '../ui/icons.js';
import { decimals } from '../ui/money.js';

export class Summary {
  // act: {quantity(line, n), amount(line, n), promotion(code), optional(item, n), crossSell(item, n), upsell(chosen)} each resolving when the page is up to date
  constructor(words, act) {
    this.words = words;
    this.act = act;
    this.promotionOpen = false;
    this.promotionError = null;
    this.busy = false;
    this.head = h('div', {});
    this.due = h('div', { class: 'due', 'data-testid': 'product-summary', 'aria-live': 'polite' });
    this.lines = h('ul', { class: 'lines', 'data-testid': 'line-items' });
    this.optional = h('div', {});
    this.sums = h('dl', { class: 'sums', 'data-testid': 'order-summary' });
    this.promotion = h('div', { class: 'promotion' });
    this.element = h('div', { class: 'side-inner' }, this.head, this.due, this.lines, this.optional, h('div', { class: 'section' }, this.sums, this.promotion));
  }

  draw(page) {
    const { words } = this;
    this.page = page;
    replace(this.head, header(page, words));
    this.due.classList.toggle('setup', page.mode === 'setup');
    replace(this.due, due(page, words));
    const pictures = [...page.line_items, ...page.optional_items, ...page.cross_sells].some((item) => item.product.images[0]);
    this.element.classList.toggle('plain', !pictures);
    replace(this.lines, page.line_items.map((line) => this.line(line, page)));
    replace(this.optional, this.optionalItems(page));
    this.optional.hidden = !this.optional.firstChild;
    this.drawSums(page);
    this.drawPromotion(page);
  }

  line(line, page) {
    const { words } = this;
    const image = line.product.images[0];
    const later = (page.subscription?.trial_days || page.subscription?.renews) && line.price.recurring;
    const unit = line.price.unit_amount_decimal;
    const several = line.quantity > 1 && unit !== null;
    const amount = page.subscription?.trial_days && line.price.recurring ? words.say('trialDays', { count: page.subscription.trial_days }) : line.metered ? words.say('byUse') : words.money(line.amount_subtotal, line.currency);
    const free = line.price.custom_unit_amount;
    return h('li', { class: 'line', dataset: { line: line.id } },
      picture(image, line.description),
      h('span', { class: 'name' }, line.description),
      h('span', { class: 'sum' }, amount),
      line.product.description ? h('span', { class: 'about' }, line.product.description) : null,
      several || line.adjustable_quantity?.enabled
        ? h('span', { class: 'each' }, several ? `${words.say('qty', { count: line.quantity })} · ${words.say('each', { amount: words.unitMoney(unit, line.currency) })}` : words.say('qty', { count: line.quantity }))
        : null,
      line.price.recurring ? h('span', { class: 'each' }, every(line.price.recurring, words, later ? words.unitMoney(unit ?? '0', line.currency) : null)) : null,
      line.adjustable_quantity?.enabled ? this.stepper(line) : null,
      free ? this.freeAmount(line) : null,
      page.upsell?.line === line.id ? this.upsell(page) : null);
  }

  // The switch to a price for a longer time, with what it saves: an amount, or a percentage where that is shorter.
  upsell(page) {
    const { words } = this;
    const { amount, chosen, price, saved, saved_percent: percent } = page.upsell;
    const money = saved === null ? null : words.money(saved, page.currency);
    const saving = money === null ? null : words.say('saveAmount', { amount: money.length > 8 && percent ? `${words.percent(percent)}%` : money });
    const box = h('input', { type: 'checkbox', role: 'switch', name: 'upsell', id: 'upsell', checked: chosen, 'aria-describedby': saving ? 'upsell-saving' : undefined });
    box.addEventListener('change', async () => {
      await this.act.upsell(box.checked);
      if (box.isConnected) box.checked = this.page.upsell?.chosen ?? false;
      this.element.querySelector('#upsell')?.focus();
    });
    const text = words.say('payEvery', { amount: words.money(amount, page.currency), interval: interval(price.recurring, words) });
    return h('span', { class: 'upsell', 'data-testid': 'upsell' }, h('label', { class: 'choice', for: 'upsell' }, box, h('span', {}, text)), saving ? h('span', { class: 'tag', id: 'upsell-saving' }, saving) : null);
  }

  stepper(line) {
    const { words } = this;
    const { minimum, maximum } = line.adjustable_quantity;
    const change = async (value) => {
      const wanted = Math.max(minimum, Math.min(maximum, value));
      if (Number.isNaN(wanted) || wanted === line.quantity) return this.draw(this.page);
      await this.act.quantity(line, wanted);
      return this.element.querySelector(`[data-line="${line.id}"] .stepper input`)?.focus();
    };
    const name = line.description;
    return h('span', { class: 'stepper' },
      h('button', { class: 'button', type: 'button', 'aria-label': words.say('decrease', { name }), disabled: line.quantity <= minimum, onclick: () => change(line.quantity - 1) }, icon('minus')),
      h('input', { class: 'control', type: 'number', name: `quantity-${line.id}`, 'aria-label': words.say('quantity', { name }), min: minimum, max: maximum, value: line.quantity, onchange: (event) => change(Number(event.target.value)) }),
      h('button', { class: 'button', type: 'button', 'aria-label': words.say('increase', { name }), disabled: line.quantity >= maximum, onclick: () => change(line.quantity + 1) }, icon('plus')));
  }

  // "Pay what you want": the customer names the amount, in units with a decimal point.
  freeAmount(line) {
    const { words } = this;
    const places = decimals(line.currency);
    const shown = (minor) => (minor ? (minor / 10 ** places).toFixed(places) : '');
    const now = line.quantity ? line.amount_subtotal / line.quantity : 0;
    const input = h('input', { class: 'control', type: 'text', inputmode: 'decimal', id: `amount-${line.id}`, name: 'customAmount', value: shown(now), placeholder: shown(line.price.custom_unit_amount.minimum) || '0', 'aria-describedby': `amount-error-${line.id}` });
    const message = h('p', { class: 'problem', id: `amount-error-${line.id}`, role: 'alert', hidden: true });
    input.addEventListener('change', () => {
      const value = Number(input.value.trim().replace(',', '.'));
      if (input.value.trim() && Number.isFinite(value)) this.act.amount(line, Math.round(value * 10 ** places));
      else this.validate();
    });
    this.free = { name: 'customAmount', filled: now > 0, input, message, focus: () => input.focus() };
    return h('span', { class: 'free' }, h('label', { class: 'label', for: input.id }, words.say('chooseAmount')), input, message);
  }

  // What is still to be decided on this side of the page.
  validate() {
    const { free, words } = this;
    if (!free) return [];
    const missing = !free.filled;
    free.message.hidden = !missing;
    free.input.setAttribute('aria-invalid', String(missing));
    replace(free.message, missing ? [icon('alert'), h('span', {}, words.say('missing'))] : []);
    return missing ? [free] : [];
  }

  optionalItems(page) {
    const { words } = this;
    const offers = page.optional_items.filter((item) => !item.chosen);
    const chosen = page.optional_items.filter((item) => item.chosen);
    const beside = page.cross_sells;
    if (!offers.length && !chosen.length && !beside.length) return [];
    const row = (item, label, amount, act) =>
      h('li', { class: 'line' },
        picture(item.product.images[0], item.product.name),
        h('span', { class: 'name' }, item.product.name),
        h('span', { class: 'sum' }, words.money(amount, item.price.currency)),
        h('span', { class: 'about' }, item.product.description ?? ''),
        item.price.recurring ? h('span', { class: 'each' }, every(item.price.recurring, words, null)) : null,
        h('span', { class: 'stepper' }, h('button', { class: 'button', type: 'button', style: { width: 'auto', padding: '0 12px' }, 'aria-label': `${words.say(label)} ${item.product.name}`, onclick: act }, words.say(label))));
    const optional = (item, wanted, label) => row(item, label, item.price.unit_amount * item.quantity, () => this.act.optional(item, wanted));
    return h('div', { class: 'section', 'data-testid': 'offers' },
      h('h2', { class: 'label' }, words.say('itemsAdded')),
      h('ul', { class: 'lines' }, offers.map((item) => optional(item, item.quantity, 'add')), chosen.map((item) => optional(item, 0, 'remove')),
        beside.map((item) => row(item, item.chosen ? 'remove' : 'add', item.amount, () => this.act.crossSell(item, item.chosen ? 0 : 1)))));
  }

  drawSums(page) {
    const { words } = this;
    this.sums.hidden = page.mode === 'setup';
    if (this.sums.hidden) return;
    const { currency } = page;
    const row = (key, label, amount, more = '') => h('div', { class: `sum-row ${more}`, 'data-testid': key }, h('dt', {}, label), h('dd', {}, amount));
    const details = page.total_details ?? { amount_discount: 0, amount_shipping: 0, amount_tax: 0 };
    const rows = [];
    const more = page.discount || page.shipping_cost || page.taxes.length || page.line_items.length > 1;
    if (more) rows.push(row('subtotal', words.say('subtotal'), words.money(page.amount_subtotal, currency)));
    if (page.discount) {
      const { discount } = page;
      const off = discount.percent_off !== null ? words.say('discountOff', { percent: words.percent(discount.percent_off) }) : words.say('discountOffAmount', { amount: words.money(discount.amount_off, discount.currency ?? currency) });
      const tag = discount.code
        ? h('span', { class: 'tag' }, icon('tag'), h('span', {}, discount.code),
          h('button', { type: 'button', 'aria-label': words.say('removeCode', { code: discount.code }), onclick: () => this.act.promotion('') }, icon('close')))
        : h('span', {}, discount.name);
      rows.push(row('discount', h('span', {}, tag, h('small', {}, [off, lasting(discount, page, words)].filter(Boolean).join(' '))), words.money(-details.amount_discount, currency)));
    }
    if (page.shipping_cost) {
      const rate = page.shipping_options.find((option) => option.selected);
      const amount = page.shipping_cost.amount_subtotal;
      rows.push(row('shipping', h('span', {}, words.say('shipping'), rate ? h('small', {}, rate.display_name) : null), amount ? words.money(amount, currency) : words.say('free')));
    }
    for (const tax of page.taxes) {
      const label = words.say(tax.inclusive ? 'includedTax' : 'taxOf', { name: tax.display_name ?? words.say('tax'), percent: words.percent(tax.percentage) });
      rows.push(row('tax', label, words.money(tax.amount, currency), 'soft'));
    }
    const due = page.mode === 'subscription' ? 'dueToday' : 'totalDue';
    rows.push(row('total', words.say(due), words.money(page.amount_total, currency), rows.length ? 'total' : 'only'));
    replace(this.sums, rows);
  }

  drawPromotion(page) {
    const { words } = this;
    if (!page.allow_promotion_codes || page.discount) {
      this.promotionOpen = false;
      this.promotionError = null;
      replace(this.promotion);
      return;
    }
    if (!this.promotionOpen) {
      replace(this.promotion, h('button', {
        class: 'button open', type: 'button', 'data-testid': 'promotion-code-open',
        onclick: () => {
          this.promotionOpen = true;
          this.drawPromotion(page);
          this.promotion.querySelector('input').focus();
        },
      }, icon('tag'), words.say('addPromotion')));
      return;
    }
    if (this.promotion.querySelector('form')) return;
    const input = h('input', { class: 'control', id: 'promotionCode', name: 'promotionCode', type: 'text', autocomplete: 'off', autocapitalize: 'characters', spellcheck: 'false', placeholder: words.say('promotionCode'), 'aria-label': words.say('promotionCode'), 'aria-describedby': 'promotionCode-error' });
    const message = h('p', { class: 'problem', id: 'promotionCode-error', role: 'alert', hidden: true });
    const button = h('button', { class: 'button', type: 'submit', 'data-testid': 'promotion-code-apply' }, words.say('apply'));
    const tell = (text) => {
      message.hidden = !text;
      input.setAttribute('aria-invalid', String(Boolean(text)));
      replace(message, text ? [icon('alert'), h('span', {}, text)] : []);
    };
    const form = h('form', { class: 'promotion', novalidate: true }, h('div', { class: 'entry' }, input, button), message);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (!input.value.trim()) {
        tell(words.say('missing'));
        return;
      }
      button.disabled = true;
      const problem = await this.act.promotion(input.value);
      button.disabled = false;
      if (problem) {
        tell(problem);
        input.focus();
      }
    });
    input.addEventListener('input', () => tell(null));
    replace(this.promotion, form);
  }
}

export function header(page, words) {
  const { account, branding_settings: branding, cancel_url: cancel } = page;
  const merchant = account.display_name;
  const logo = branding?.logo?.url ?? branding?.icon?.url;
  const sign = logo ? h('img', { src: logo, alt: merchant }) : h('span', {}, merchant);
  return h('header', { class: 'merchant' },
    cancel && page.ui_mode === 'hosted_page'
      ? h('a', { href: cancel, 'data-testid': 'business-link', 'aria-label': words.say('backTo', { merchant }) }, icon('back'), sign)
      : sign,
    h('span', { class: 'test-pill' }, words.say('testMode')));
}

function picture(url, name) {
  return url ? h('img', { class: 'picture', src: url, alt: '', referrerpolicy: 'no-referrer' }) : h('span', { class: 'picture', 'aria-hidden': 'true' }, [...name][0] ?? '');
}

// For how long a discount lasts, where the purchase repeats.
function lasting(discount, page, words) {
  if (!page.subscription) return null;
  if (discount.duration === 'repeating') return words.say('forMonths', { count: discount.duration_in_months });
  return discount.duration === 'once' ? words.say('firstPayment') : null;
}

function due(page, words) {
  const merchant = page.account.display_name;
  if (page.mode === 'setup') return [h('h1', { class: 'to' }, words.say('setupFor', { merchant }))];
  const { subscription } = page;
  const first = page.line_items.find((line) => line.price.recurring)?.description ?? page.line_items[0]?.description ?? merchant;
  const trial = subscription?.trial_days;
  const title = subscription ? words.say(trial ? 'tryTrial' : 'subscribeTo', { name: first }) : words.say('payMerchant', { merchant });
  const parts = [h('h1', { class: 'to' }, title)];
  if (trial) parts.push(h('p', { class: 'amount' }, words.say('trialDays', { count: trial })));
  else parts.push(h('p', { class: 'amount', 'data-testid': 'amount-due' }, words.money(page.amount_total, page.currency)));
  if (subscription) parts.push(h('p', { class: 'every', 'data-testid': 'renewal' }, renewal(page, words)));
  return parts;
}

// How it goes on after today: the same every time, another amount, from another day, or what is used.
function renewal(page, words) {
  const { subscription: plan } = page;
  const every = interval(plan, words);
  const amount = words.money(plan.next.total, page.currency);
  const same = !plan.trial_days && !plan.renews && plan.next.total === page.amount_total;
  const text = same && plan.next.total ? every : plan.renews ? words.say('thenFrom', { amount, interval: every, date: words.date(plan.renews) }) : words.say('then', { amount, interval: every });
  if (!plan.metered) return text;
  return plan.next.total ? `${text} ${words.say('plusUse')}` : words.say('onlyUse', { interval: every });
}

export function interval(recurring, words) {
  const count = recurring.interval_count;
  return count === 1 ? words.say(`every${recurring.interval}`) : words.say(`every${recurring.interval}s`, { count });
}

function every(recurring, words, amount) {
  const text = words.say('billedMonthly', { interval: interval(recurring, words) });
  return amount ? `${text} · ${amount}` : text;
}
