// Balances and payouts: what there is, when it is paid out, and paying out now where the session allows it.

import { h, replace } from '../ui/dom.js';
import { ask, beacon, box, emit } from './frame.js';
import { dialog } from './dialog.js';
import { amountOf, badge, button, day, form, identifier, input, money, Pager, pairs, plain, select, table, typed } from './parts.js';
import { state } from './state.js';

const STATUS = { canceled: 'neutral', failed: 'danger', in_transit: 'neutral', paid: 'success', pending: 'neutral' };
const mark = (row) => badge(STATUS[row.status] ?? 'neutral', plain(row.status));
const account = (found) => (found ? `${found.name ?? 'Account'} •••• ${found.last4}` : 'No account yet');
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];

function when({ interval, weekly_payout_days: days, monthly_payout_days: dates }) {
  if (interval === 'manual') return 'Paid out by hand';
  if (interval === 'weekly') return `Paid out every week on ${days.map(plain).join(', ')}`;
  if (interval === 'monthly') return `Paid out every month on day ${dates.join(', ')}`;
  return 'Paid out every day';
}

function balances(found) {
  const { allowed } = found;
  return h('section', { class: 'balances', 'aria-label': 'Balances' },
    found.balances.map((row) => h('div', { class: 'card balance', 'data-currency': row.currency },
      h('div', { class: 'figures' },
        h('div', {}, h('p', { class: 'quiet' }, 'Available'), h('p', { class: 'figure' }, money(row.available, row.currency))),
        h('div', {}, h('p', { class: 'quiet' }, 'On the way'), h('p', { class: 'figure' }, money(row.pending, row.currency)))),
      h('p', { class: 'quiet' }, account(row.external)),
      h('div', { class: 'actions start' },
        allowed.standard_payouts && row.external ? button('Pay out', () => emit('overlay', { view: 'pay-out', id: row.currency }), 'primary', { disabled: row.available <= 0 }) : null,
        allowed.instant_payouts && row.instant ? button('Pay out instantly', () => emit('overlay', { view: 'pay-out-instantly', id: row.currency }), 'secondary', { disabled: row.available <= 0 }) : null))),
    h('div', { class: 'schedule' }, h('p', { class: 'quiet' }, when(found.schedule)),
      allowed.edit_payout_schedule ? button('Edit payout schedule', () => emit('overlay', { view: 'schedule' })) : null),
    found.payouts_enabled ? null : h('p', { class: 'quiet' }, 'Payouts are not enabled yet.'));
}

function list() {
  return new Pager(
    (cursor) => ask('GET', 'payouts', { limit: 10, starting_after: cursor }),
    (rows) => table('Payouts', [
      ['Date', (row) => [day(row.created), identifier(row.id)]],
      ['Status', mark],
      ['Destination', (row) => account(row.destination)],
      ['Arrives', (row) => day(row.arrival_date)],
      ['Amount', (row) => money(row.amount, row.currency), 'number'],
    ], rows, { open: (row) => emit('overlay', { view: 'payout', id: row.id }), empty: 'No payouts yet.' }),
  );
}

export async function runBalances() {
  replace(box, balances(await ask('GET', 'balance')));
}

export async function runPayouts() {
  const [found, pager] = [await ask('GET', 'balance'), list()];
  await pager.show();
  replace(box, balances(found), h('h2', { class: 'heading' }, 'Payouts'), pager.element);
}

export async function runList() {
  const pager = list();
  await pager.show();
  replace(box, pager.element);
}

// Over the page

export async function runPayout() {
  const sheet = dialog('Payout');
  const found = await ask('GET', `payouts/${state.id}`);
  sheet.title(`Payout of ${money(found.amount, found.currency)}`);
  sheet.show(
    h('p', { class: 'status' }, mark(found)),
    pairs([
      ['Started', day(found.created)],
      ['Arrives', day(found.arrival_date)],
      ['Destination', account(found.destination)],
      ['Kind', `${plain(found.method)}, ${found.automatic ? 'automatic' : 'by hand'}`],
      found.failure_message ? ['Failed', found.failure_message] : null,
      state.showIds ? ['Payout ID', identifier(found.id)] : null,
    ]),
    found.automatic ? [h('h3', { class: 'heading small' }, 'Transactions'), table('Transactions', [
      ['Date', (row) => day(row.created)], ['Type', (row) => plain(row.type)], ['Net', (row) => money(row.net, row.currency), 'number'],
    ], found.transactions, { empty: 'None.' })] : null,
  );
}

export async function runPay(method) {
  const sheet = dialog(method === 'instant' ? 'Pay out instantly' : 'Pay out');
  const row = (await ask('GET', 'balance')).balances.find(({ currency }) => currency === state.id);
  sheet.show(
    h('p', { class: 'quiet' }, `${money(row.available, row.currency)} available. To ${account(row.external)}.`, method === 'instant' ? ' A fee of 1% applies.' : ''),
    form([input('amount', `Amount (${row.currency.toUpperCase()})`, { value: typed(Math.max(row.available, 0), row.currency), inputmode: 'decimal' })], method === 'instant' ? 'Pay out instantly' : 'Pay out', async ({ amount }) => {
      const made = await ask('POST', 'payouts', { amount: amountOf(amount, row.currency), currency: row.currency, method });
      beacon.send('payout', { payout: made.id, method });
      emit('changed', {});
      sheet.close();
    }, { cancel: sheet.close }),
  );
}

export async function runSchedule() {
  const sheet = dialog('Payout schedule');
  const { schedule } = await ask('GET', 'balance');
  const interval = select('interval', 'How often', [['daily', 'Every day'], ['weekly', 'Every week'], ['monthly', 'Every month'], ['manual', 'By hand']], schedule.interval);
  const weekday = select('weekday', 'Day of the week', DAYS.map((name) => [name, plain(name)]), schedule.weekly_payout_days?.[0] ?? 'monday');
  const date = select('date', 'Day of the month', Array.from({ length: 31 }, (_, i) => [String(i + 1), String(i + 1)]), String(schedule.monthly_payout_days?.[0] ?? 1));
  const place = () => {
    const chosen = interval.querySelector('select').value;
    weekday.hidden = chosen !== 'weekly';
    date.hidden = chosen !== 'monthly';
  };
  interval.addEventListener('change', place);
  place();
  sheet.show(form([interval, weekday, date], 'Save', async (values) => {
    await ask('POST', 'payout_schedule', {
      interval: values.interval,
      weekly_payout_days: values.interval === 'weekly' ? [values.weekday] : undefined,
      monthly_payout_days: values.interval === 'monthly' ? [Number(values.date)] : undefined,
    });
    beacon.send('payout_schedule', { interval: values.interval });
    emit('changed', {});
    sheet.close();
  }, { cancel: sheet.close }));
}
