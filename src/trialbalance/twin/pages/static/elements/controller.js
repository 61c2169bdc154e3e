// The invisible frame of each Stripe() object: it calls the API for the page, from Stripe's own site.

import { Api } from '../ui/api.js';
import { Beacon } from '../ui/beacon.js';
import { hash } from '../ui/hosts.js';
import { on, ready } from './channel.js';

const api = new Api({ key: hash.apiKey, account: hash.account, version: hash.version, page: 'elements' });
const beacon = new Beacon('elements');

on('api', ({ method, path, params }) => api.call(method, path, params));
on('event', ({ event, detail }) => beacon.send(event, detail).then(() => null));
ready();
