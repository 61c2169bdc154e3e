// The page when there is nothing to fill in: loading, done, expired, broken.

import { h, replace } from '../ui/dom.js';
import { icon } from '../ui/icons.js';

export function skeleton() {
  return h('div', { class: 'skeleton', 'aria-busy': 'true', role: 'status', 'aria-label': 'Loading' }, [1, 2, 3, 4, 5, 6].map(() => h('i', {})));
}

export function notice(root, kind, words, page, message) {
  const email = page?.customer_details?.email ?? '';
  const [title, text, mark] = {
    done: [words.say('done'), message ?? (email ? words.say('doneText', { email }) : ''), 'check'],
    inactive: [words.say('inactive'), message, 'alert'],
    already: [words.say('already'), words.say('alreadyText'), 'check'],
    expired: [words.say('expired'), words.say('expiredText'), 'alert'],
    missing: [words.say('missingPage'), words.say('missingPageText'), 'alert'],
    broken: [words.say('something'), message ?? words.say('connection'), 'alert'],
  }[kind];
  const merchant = page?.account?.display_name;
  const back = kind === 'expired' && page?.cancel_url;
  replace(root, h('main', { class: `state ${mark === 'alert' ? 'warn' : ''}`, 'data-testid': `state-${kind}` },
    h('div', { class: 'big' }, icon(mark)), h('h1', {}, title), text ? h('p', {}, text) : null,
    back ? h('a', { class: 'button', href: page.cancel_url }, words.say('backTo', { merchant })) : null));
}

export function footer(page, words, where) {
  const link = (url, key) => (url ? h('a', { href: url, target: '_blank', rel: 'noopener' }, words.say(key)) : null);
  return h('footer', { class: `foot ${where}` }, h('span', {}, words.say('noMoney')), link(page.account.terms_url, 'terms'), link(page.account.privacy_url, 'privacy'));
}
