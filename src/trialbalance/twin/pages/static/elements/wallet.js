// Link in an element: an e-mail address with a wallet gets a code, the wallet shows its cards; others may sign up.

import { brandTitle } from '../ui/card.js';
import { h, replace } from '../ui/dom.js';
import { Field } from '../ui/field.js';
import { icon } from '../ui/icons.js';

export class Wallet {
  // link: 'never' turns it off; changed() after every change of what will be paid with
  constructor({ api, words, session, changed, link, email }) {
    Object.assign(this, { api, words, session, changed, email });
    this.allowed = session.link.enabled && link !== 'never';
    this.active = null;
    this.element = this.allowed ? h('div', { hidden: true, class: 'optin', 'data-testid': 'link-panel' }) : null;
    this.optin = null;
    if (this.allowed) this.offer();
    if (this.allowed && email) this.enter(email);
  }

  // "Save my information": a checkbox that asks for a phone number (and an address, where nobody asked for one).
  offer() {
    const { words } = this;
    this.box = h('input', { type: 'checkbox', id: 'payment-linkOptInInput', name: 'linkOptIn', class: 'CheckboxInput' });
    this.mail = new Field({ name: 'linkEmail', id: 'Field-linkEmailInput', label: words.say('email'), visible: true, words, check: (v) => (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(v) ? null : words.say('invalidEmail')), attributes: { type: 'email', autocomplete: 'email', value: this.email ?? '' } });
    this.phone = new Field({ name: 'linkPhone', id: 'Field-linkMobilePhoneInput', label: words.say('linkPhone'), visible: true, words, check: (v) => (v.replace(/\D/g, '').length >= 8 ? null : words.say('invalidPhone')), attributes: { type: 'tel', autocomplete: 'tel' } });
    const more = h('div', { class: 'payment', hidden: true }, [this.mail, this.phone].map((field) => {
      field.element.append(h('div', { role: 'alert' }, field.error));
      return field.element;
    }));
    this.box.addEventListener('change', () => {
      more.hidden = !this.box.checked;
    });
    this.optin = h('div', { class: 'optin' }, h('label', { class: 'choice CheckboxLabel', for: 'payment-linkOptInInput' }, this.box, h('span', {}, words.say('saveCard'))), more);
  }

  // An e-mail address is known: ask whether it has a wallet.
  async enter(email, session) {
    if (!this.allowed || !email) return;
    this.email = email;
    if (this.mail && !this.mail.value) this.mail.value = email;
    if (session) {
      this.open(session);
      return;
    }
    const found = await this.api.call('POST', '/v1/consumers/sessions/lookup', { email_address: email }).catch(() => null);
    if (found?.exists && this.email === email && !this.active) await this.ask(found);
  }

  async ask(found) {
    const { words } = this;
    const started = await this.api.call('POST', '/v1/consumers/sessions/start_verification', { email_address: this.email });
    const code = new Field({ name: 'code', id: 'Field-linkCodeInput', label: words.say('linkCode'), visible: true, words, attributes: { inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: 6 } });
    code.element.append(h('div', { role: 'alert' }, code.error));
    const skip = h('button', { type: 'button', class: 'link-button', onclick: () => { this.element.hidden = true; } }, words.say('linkSkip'));
    code.control.addEventListener('input', async () => {
      if (code.value.length !== 6) return;
      try {
        this.open(await this.api.call('POST', '/v1/consumers/sessions/confirm_verification', { client_secret: started.client_secret, code: code.value }));
      } catch (problem) {
        code.control.value = '';
        code.show(problem.error?.message ?? words.say('something'));
      }
    });
    this.element.hidden = false;
    replace(this.element, h('p', { class: 'note' }, icon('link'), h('span', {}, words.say('linkCodeSent', { phone: found.redacted_phone }), ' ', words.say('linkCodeTest'))), code.element, skip);
    this.changed();
  }

  open(session) {
    const { words } = this;
    this.active = session;
    this.card = session.payment_details[0]?.id ?? null;
    this.element.hidden = false;
    const cards = session.payment_details.map((card) => h('label', { class: 'choice' },
      h('input', { type: 'radio', name: 'linkCard', value: card.id, checked: card.id === this.card, onchange: () => { this.card = card.id; this.changed(); } }),
      h('span', {}, words.say('savedCard', { brand: brandTitle(card.brand), last4: card.last4 }))));
    replace(this.element, h('p', { class: 'note' }, icon('link'), h('span', {}, words.say('linkWallet', { email: session.email }))), cards,
      h('button', { type: 'button', class: 'link-button', onclick: () => this.close() }, words.say('linkLogout')));
    this.redraw?.();
    this.changed();
  }

  close() {
    this.active = null;
    this.element.hidden = true;
    this.redraw?.();
    this.changed();
  }

  complete() {
    return Boolean(this.active && this.card);
  }

  // A payment method from the chosen card; `own`: of type link, else the card passed through.
  share(own) {
    return this.api.call('POST', '/v1/consumers/payment_details/share', { client_secret: this.active.client_secret, id: this.card, passthrough: !own });
  }

  async signUp(method, billing) {
    if (!this.box?.checked || method.type !== 'card') return;
    if (!this.mail.validate() || !this.phone.validate()) throw { error: { type: 'validation_error', code: 'incomplete_link_sign_up', message: this.words.say('enterAll') } };
    await this.api.call('POST', '/v1/consumers/accounts/sign_up', { email_address: this.mail.value, phone_number: this.phone.value, name: billing?.name, payment_method: method.id });
  }
}
