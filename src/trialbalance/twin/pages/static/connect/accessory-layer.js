// The frame of what lies over the page.

import { runOnboardingOver } from './account.js';
import { frame } from './frame.js';
import { run } from './payment.js';
import { runPay, runPayout, runSchedule } from './payouts.js';
import { state } from './state.js';

const VIEWS = {
  onboarding: runOnboardingOver,
  payment: run,
  'pay-out': () => runPay('standard'),
  'pay-out-instantly': () => runPay('instant'),
  payout: runPayout,
  schedule: runSchedule,
};
document.body.classList.add('over');
frame({ title: 'This', run: () => VIEWS[state.view](), refresh: () => {} });
