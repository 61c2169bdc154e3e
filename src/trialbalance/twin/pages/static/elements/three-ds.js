// The frame over a page in which the bank's own page is shown; it says when that is over.

import { Api } from '../ui/api.js';
import { h, replace } from '../ui/dom.js';
import { hash, hosts } from '../ui/hosts.js';
import { loadWords } from '../ui/language.js';
import { emit, ready } from './channel.js';

const api = new Api({ key: hash.apiKey, account: hash.account, page: 'three-ds' });

await api.call('POST', '/v1/3ds2/authenticate', { source: hash.source });
const words = await loadWords(hash.locale ?? 'auto');
document.documentElement.lang = words.locale;
const query = new URLSearchParams({
  locale: hash.locale ?? 'auto', merchant: hash.merchant, publishable_key: hash.apiKey, source: hash.source,
  [hash.kind]: hash.intent, [`${hash.kind}_client_secret`]: hash.secret,
});
const challenge = h('iframe', { id: 'challengeFrame', name: 'stripe-challenge-frame', title: words.say('bankTitle'), src: `${hosts.hooks}/3d_secure_2/hosted?${query}` });
window.addEventListener('message', (event) => {
  if (event.source !== challenge.contentWindow || event.origin !== hosts.hooks || event.data?.bank !== 'over') return;
  emit('done', { outcome: event.data.outcome });
});
replace(document.getElementById('root'), challenge);
ready();
