// The portal's first view.

import { brandTitle } from '../ui/card.js';
import { h } from '../ui/dom.js';
import { brandMark, icon } from '../ui/icons.js';
import { methodOf } from '../ui/methods.js';

export function home(portal) {
  const { page, words } = portal;
  const message = h('div', { hidden: true });
  const { features } = page;
  return h('div', { class: 'section wide-gap' },
    h('h1', { tabindex: -1, class: 'visually-hidden' }, words.say('portalTitle')),
    message,
    page.subscriptions.length ? h('section', { class: 'section', 'data-testid': 'subscriptions' }, h('h2', {}, words.say('currentSubscription')), page.subscriptions.map((found) => subscription(portal, found, message))) : null,
    features.payment_method_update.enabled ? methods(portal, message) : null,
    features.customer_update.enabled ? details(portal) : null,
    features.invoice_history.enabled ? invoices(portal) : null);
}

function subscription(portal, found, message) {
  const { page, words } = portal;
  const { features } = page;
  const total = found.items.reduce((sum, item) => sum + (item.amount ?? 0), 0);
  const first = found.items[0];
  const rule = first?.price.recurring;
  const every = rule ? (rule.interval_count === 1 ? words.say(`every${rule.interval}`) : words.say(`every${rule.interval}s`, { count: rule.interval_count })) : '';
  const ends = found.cancel_at ?? (found.cancel_at_period_end ? found.period_end : null);
  const paused = found.status === 'paused' ? found.resumes_at && words.say('pausedUntil', { date: words.date(found.resumes_at) }) : undefined;
  const when = paused !== undefined ? paused : found.planned && !ends ? words.say('changesOn', { date: words.date(found.planned.at) }) : ends ? words.say('endsOn', { date: words.date(ends) }) : found.status === 'trialing' ? words.say('trialUntil', { date: words.date(found.trial_end) }) : words.say('renewsOn', { date: words.date(found.period_end) });
  return h('article', { class: 'card', dataset: { subscription: found.id } },
    h('div', { class: 'head' }, h('div', {}, h('h3', {}, found.items.map((item) => item.product).join(' + ')), h('p', { class: 'big small-big' }, `${words.money(total, found.currency)} ${every}`)),
      ends ? h('span', { class: 'badge warn' }, words.say('ending')) : h('span', { class: `badge ${found.status === 'active' ? 'good' : 'warn'}` }, words.say(`sub_${found.status}`))),
    when ? h('p', { class: 'soft' }, when) : null,
    found.card ? h('p', { class: 'soft' }, words.say('savedCard', { brand: brandTitle(found.card.brand), last4: found.card.last4 })) : null,
    h('div', { class: 'actions' },
      features.subscription_update.enabled && !ends && found.items.length === 1 && found.status !== 'paused' ? h('button', { type: 'button', class: 'button primary', onclick: () => portal.show('switch', found) }, words.say('updateSubscription')) : null,
      features.subscription_pause.enabled && found.pausable && !ends ? h('button', { type: 'button', class: 'button', onclick: () => portal.show('pause', found) }, words.say('pauseSubscription')) : null,
      features.subscription_pause.enabled && found.resumable ? h('button', { type: 'button', class: 'button primary', onclick: () => portal.change('resume', '/resume', { subscription: found.id }, () => portal.show('home'), message) }, words.say('resumeSubscription')) : null,
      features.subscription_cancel.enabled && !ends ? h('button', { type: 'button', class: 'button', onclick: () => portal.show('cancel', found) }, words.say('cancelSubscription')) : null,
      features.subscription_cancel.enabled && ends ? h('button', { type: 'button', class: 'button', onclick: () => portal.change('renew', '/renew', { subscription: found.id }, () => portal.show('home'), message) }, words.say('dontCancel')) : null));
}

function methods(portal, message) {
  const { page, words } = portal;
  return h('section', { class: 'section', 'data-testid': 'payment-methods' }, h('h2', {}, words.say('paymentMethods')),
    h('ul', { class: 'rows' }, page.payment_methods.map((method) => {
      const name = method.card ? words.say('savedCard', { brand: brandTitle(method.card.brand), last4: method.card.last4 }) : methodOf(method.type).title;
      return h('li', {}, method.card ? brandMark(method.card.brand) : icon('bank'), h('span', {}, name, method.card ? h('small', { class: 'soft' }, ` · ${words.say('savedExpires', { month: String(method.card.exp_month).padStart(2, '0'), year: method.card.exp_year })}`) : null),
        method.default ? h('span', { class: 'badge' }, words.say('default')) : h('span', { class: 'actions' },
          h('button', { type: 'button', class: 'link-button', 'aria-label': `${words.say('makeDefault')} ${name}`, onclick: () => portal.change('default_method', '/default_method', { payment_method: method.id }, () => portal.show('home'), message) }, words.say('makeDefault')),
          h('button', { type: 'button', class: 'link-button', 'aria-label': `${words.say('remove')} ${name}`, onclick: () => portal.change('remove_method', '/remove_method', { payment_method: method.id }, () => portal.show('home'), message) }, words.say('remove'))));
    })),
    h('div', {}, h('button', { type: 'button', class: 'button', onclick: () => portal.show('method') }, icon('plus'), words.say('addMethod'))));
}

function details(portal) {
  const { page, words } = portal;
  const { customer } = page;
  const address = Object.values(customer.address ?? {}).filter(Boolean).join(', ');
  return h('section', { class: 'section', 'data-testid': 'billing-information' }, h('h2', {}, words.say('billingInformation')),
    h('dl', { class: 'facts' }, [['name', customer.name], ['email', customer.email], ['phone', customer.phone], ['address', address], ['shippingAddress', Object.values(customer.shipping?.address ?? {}).filter(Boolean).join(', ')], ['taxNumber', customer.tax_ids.map((found) => found.value).join(', ')]].filter(([, value]) => value).map(([key, value]) => [h('dt', {}, words.say(key)), h('dd', {}, value)])),
    h('div', {}, h('button', { type: 'button', class: 'button', onclick: () => portal.show('customer') }, words.say('updateInformation'))));
}

function invoices(portal) {
  const { page, words } = portal;
  if (!page.invoices.length) return null;
  return h('section', { class: 'section', 'data-testid': 'invoice-history' }, h('h2', {}, words.say('invoiceHistory')),
    h('table', { class: 'lines' }, h('caption', { class: 'visually-hidden' }, words.say('invoiceHistory')),
      h('thead', {}, h('tr', {}, ['issued', 'amount', 'status'].map((key) => h('th', { scope: 'col' }, words.say(key))))),
      h('tbody', {}, page.invoices.map((invoice) => h('tr', {},
        h('td', {}, invoice.hosted_invoice_url ? h('a', { href: invoice.hosted_invoice_url, target: '_blank', rel: 'noopener' }, words.date(invoice.created)) : words.date(invoice.created)),
        h('td', {}, words.money(invoice.total, invoice.currency)),
        h('td', {}, h('span', { class: `badge ${invoice.status === 'paid' ? 'good' : ''}` }, words.say(`invoice_${invoice.status}`))))))));
}

