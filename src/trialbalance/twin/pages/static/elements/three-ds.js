// The frame over a page in which the bank's own page is shown; it says when that is over.

import { Api } from '../ui/api.js';
import { h, replace } from '../ui/dom.js';
import { hash, hosts } from '../ui/hosts.js';
import { emit, ready } from './channel.js';

const api = new Api({ key: hash.apiKey, account: hash.account, page: 'three-ds' });

await api.call('POST', '/v1/3ds2/authenticate', { source: hash.source });
const query = new URLSearchParams({
  merchant: hash.merchant, publishable_key: hash.apiKey, source: hash.source,
  [hash.kind]: hash.intent, [`${hash.kind}_client_secret`]: hash.secret,
});
const challenge = h('iframe', { id: 'challengeFrame', name: 'stripe-challenge-frame', title: 'Your bank', src: `${hosts.hooks}/3d_secure_2/hosted?${query}` });
window.addEventListener('message', (event) => {
  if (event.source !== challenge.contentWindow || event.origin !== hosts.hooks || event.data?.bank !== 'over') return;
  emit('done', { outcome: event.data.outcome });
});
replace(document.getElementById('root'), challenge);
ready();
