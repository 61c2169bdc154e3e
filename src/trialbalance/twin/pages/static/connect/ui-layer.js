// The frame of a component in its place on the page.

import { runBanner, runDocuments, runManagement, runOnboarding } from './account.js';
import { component, emit, frame } from './frame.js';
import { run, runDisputes, runPaymentDisputes } from './payments.js';
import { runBalances, runList, runPayouts } from './payouts.js';
import { state } from './state.js';

// Components that lie over the page: they open as soon as they know what to show.
const over = (view) => {
  let shown = null;
  return () => {
    const id = state.props[view];
    if (!id || id === shown) return;
    shown = id;
    emit('overlay', { view, id });
  };
};

function notBuilt() {
  const error = new Error();
  error.error = { type: 'api_error', message: `The twin has not built the component "${component}".` };
  throw error;
}

const COMPONENTS = {
  'account-management': ['Account management', runManagement],
  'account-onboarding': ['Account onboarding', runOnboarding],
  balances: ['Balances', runBalances],
  documents: ['Documents', runDocuments],
  'disputes-list': ['Disputes', runDisputes],
  'notification-banner': ['Notifications', runBanner],
  'payment-details': ['Payment details', over('payment')],
  'payment-disputes': ['Disputes', runPaymentDisputes],
  payments: ['Payments', run],
  'payout-details': ['Payout details', over('payout')],
  payouts: ['Payouts', runPayouts],
  'payouts-list': ['Payouts', runList],
};
const LYING_OVER = new Set(['payment-details', 'payout-details']);
const [title, show] = COMPONENTS[component] ?? ['This component', notBuilt];
const draw = async () => {
  await show();
  if (LYING_OVER.has(component)) document.querySelector('.component').replaceChildren();
};
frame({ title, run: draw, changed: draw, refresh: LYING_OVER.has(component) ? () => {} : draw });
