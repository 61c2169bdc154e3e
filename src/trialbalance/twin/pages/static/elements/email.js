// The Link Authentication Element: an e-mail address, and its wallet when it has one.

import { h, replace } from '../ui/dom.js';
import { Field } from '../ui/field.js';
import { icon } from '../ui/icons.js';
import { emit, on } from './channel.js';
import { api, changed, id, modern, type } from './modern.js';

const RIGHT = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
let view;

modern({
  build({ options, words }) {
    const email = new Field({
      name: 'email', id: id('email'), label: words.say('email'), words, visible: true, onedit: typed,
      check: (value) => (!value ? words.say('missing') : RIGHT.test(value) ? null : words.say('invalidEmail')),
      attributes: { type: 'email', autocomplete: 'email', inputmode: 'email', placeholder: 'you@example.com', value: options.defaultValues?.email ?? '' },
    });
    email.element.append(h('div', { role: 'alert' }, email.error));
    view = { email, words, panel: h('div', { class: 'optin', hidden: true }), known: '' };
    queueMicrotask(typed);
    return [email.element, view.panel];
  },
});

function typed() {
  const { value } = view.email;
  const complete = RIGHT.test(value);
  changed({ elementType: type, complete, empty: value === '', value: { email: value } });
  clearTimeout(view.waiting);
  if (complete && value !== view.known) view.waiting = setTimeout(() => lookUp(value), 300);
}

async function lookUp(email) {
  view.known = email;
  const found = await api.call('POST', '/v1/consumers/sessions/lookup', { email_address: email }).catch(() => null);
  if (view.email.value !== email) return;
  if (!found?.exists) {
    view.panel.hidden = true;
    emit('known', { email });
    return;
  }
  const { words } = view;
  const started = await api.call('POST', '/v1/consumers/sessions/start_verification', { email_address: email });
  const code = new Field({ name: 'code', id: id('linkCode'), label: words.say('linkCode'), words, visible: true, attributes: { inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: 6 } });
  code.element.append(h('div', { role: 'alert' }, code.error));
  code.control.addEventListener('input', async () => {
    if (code.value.length !== 6) return;
    try {
      const wallet = await api.call('POST', '/v1/consumers/sessions/confirm_verification', { client_secret: started.client_secret, code: code.value });
      view.panel.hidden = true;
      emit('known', { email, wallet });
    } catch (problem) {
      code.control.value = '';
      code.show(problem.error?.message ?? words.say('something'));
    }
  });
  view.panel.hidden = false;
  replace(view.panel, h('p', { class: 'note' }, icon('link'), h('span', {}, words.say('linkCodeSent', { phone: found.redacted_phone }), ' ', words.say('linkCodeTest'))), code.element,
    h('button', { type: 'button', class: 'link-button', onclick: () => { view.panel.hidden = true; emit('known', { email }); } }, words.say('linkSkip')));
}

on('value', () => ({ value: { email: view.email.value } }));
on('submitElements', () => {
  if (view.email.validate()) return {};
  view.email.focus();
  throw { error: { type: 'validation_error', code: 'incomplete_email', message: view.email.message } };
});
