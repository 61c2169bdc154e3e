// What every frame of a component has: its session, its calls to the API, its look, its place in the page.

import { emit, on, ready, reportHeight } from '../elements/channel.js';
import { Api } from '../ui/api.js';
import { Beacon } from '../ui/beacon.js';
import { h, replace } from '../ui/dom.js';
import { hash } from '../ui/hosts.js';
import { Words } from '../ui/speech.js';
import { setNow } from '../ui/time.js';
import { applyAppearance } from './appearance.js';
import { alertBox, loading } from './parts.js';
import { state } from './state.js';

export const component = hash.component;
export const box = h('div', { class: 'component' });
const api = new Api({ key: hash.apiKey, page: 'connect' });
const key = component.replaceAll('-', '_');
export const beacon = new Beacon('connect');

let renewed = [];

export { emit };

// A call of this component; a session that expired is renewed once, by the page.
export async function ask(method, path, params = {}) {
  const send = () => api.call(method, `/v1/embedded/${path}`, { session: state.session.token, component: key, ...params });
  try {
    return await send();
  } catch (problem) {
    if (problem.error?.code !== 'account_session_expired') throw problem;
    emit('expired', { token: state.session.token });
    await new Promise((resolve) => renewed.push(resolve));
    return send();
  }
}

export function features() {
  return state.session.components[key]?.features ?? {};
}

function look({ appearance, locale, displayOptions }) {
  applyAppearance(appearance);
  let tag = 'en';
  try {
    tag = Intl.getCanonicalLocales(locale ?? navigator.language)[0] ?? 'en';
  } catch {
    console.warn(`[Connect.js] "${locale}" is no locale.`);
  }
  state.words = new Words(tag, {}, {});
  state.showIds = Boolean(displayOptions?.showObjectIds);
}

// run: draws the component when its session is there; refresh: draws it anew after a change or a new look;
// changed: new settings arrived.
export function frame({ run, refresh = run, changed = () => {}, title }) {
  document.getElementById('root').append(box);
  const guarded = (work) => async (...given) => {
    try {
      await work(...given);
    } catch (problem) {
      failed(problem.error ?? { type: 'render_error', message: String(problem?.message ?? problem) });
    }
  };
  const failed = (error, tell = true) => {
    replace(box, alertBox(`${title} cannot be shown. ${error.message ?? ''}`));
    box.dataset.state = 'failed';
    beacon.send('load_error', { component, type: error.type, code: error.code });
    if (tell) emit('loaderror', { error: { type: error.type, code: error.code, message: error.message } });
  };
  on('start', guarded(async (payload) => {
    look(payload);
    state.session = payload.session;
    state.props = payload.props ?? {};
    state.view = payload.view ?? null;
    state.id = payload.id ?? null;
    beacon.session = payload.session.account;
    setNow(payload.session.now);
    emit('loaderstart', {});
    replace(box, loading(title));
    beacon.send('load', { component, view: state.view });
    await run();
    box.dataset.state = 'ready';
  }));
  on('failed', (payload) => {
    look(payload);
    failed(payload.error, false);
  });
  on('session', ({ session }) => {
    state.session = session;
    renewed.forEach((resolve) => resolve());
    renewed = [];
  });
  on('props', guarded(async ({ props }) => {
    state.props = props;
    if (state.session) await changed();
  }));
  on('look', guarded(async (payload) => {
    look(payload);
    if (state.session) await refresh();
  }));
  on('refresh', guarded(async ({ focus }) => {
    await refresh();
    if (focus) box.querySelector('[data-opened]')?.focus();
  }));
  reportHeight(document.getElementById('root'));
  ready();
}
