// Details to pay with later (vouchers), or a code to scan now, over the page of the shop.

import { Api } from '../ui/api.js';
import { h, replace } from '../ui/dom.js';
import { hash } from '../ui/hosts.js';
import { loadWords } from '../ui/language.js';
import { emit, on, ready } from './channel.js';

const root = document.getElementById('root');
const api = new Api({ key: hash.apiKey, account: hash.account, page: 'elements' });

on('init', async ({ type, details }) => {
  const words = await loadWords(hash.locale ?? 'auto');
  document.documentElement.lang = words.locale;
  const code = /_qr_code$/.test(type);
  const page = details?.hosted_voucher_url ?? details?.hosted_instructions_url;
  const facts = Object.entries(details ?? {}).filter(([, value]) => typeof value === 'string' && !value.startsWith('http') && !value.startsWith('data:'));
  const done = () => emit('done', {});
  replace(root, h('main', { class: 'payment', style: { padding: '24px' } },
    h('h1', { class: 'Label' }, words.say(code ? 'scanToPay' : 'howToPay')),
    code && details.image_url_svg ? h('img', { src: details.image_url_svg, alt: words.say('codeToScan'), width: 200, height: 200 }) : null,
    h('dl', {}, facts.map(([name, value]) => h('div', { class: 'note' }, h('dt', {}, name.replaceAll('_', ' ')), h('dd', {}, value)))),
    page ? h('a', { class: 'button', href: page, target: '_blank', rel: 'noopener' }, words.say('openInstructions')) : null,
    code ? [h('button', { type: 'button', class: 'button primary', 'data-testid': 'simulate-scan', onclick: async () => {
      const intent = await api.call('GET', `/v1/${hash.kind}s/${hash.intent}`, { client_secret: hash.secret });
      void intent;
      window.open(details.hosted_instructions_url ?? page, '_blank', 'noopener');
    } }, words.say('simulateScan'))] : null,
    h('button', { type: 'button', class: 'button', onclick: done }, words.say('close'))));
});
ready();
