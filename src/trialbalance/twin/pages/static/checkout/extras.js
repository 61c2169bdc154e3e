// Custom fields, names, tax ids, consent and custom texts.

import { h } from '../ui/dom.js';
import { Field } from '../ui/field.js';
import { rich } from '../ui/rich.js';

export class Extras {
  constructor(page, words) {
    this.words = words;
    this.page = page;
    this.custom = page.custom_fields.map((field) => this.customField(field));
    this.nameFields = {};
    for (const kind of ['business', 'individual']) {
      const rule = page.name_collection?.[kind];
      if (!rule?.enabled) continue;
      this.nameFields[`${kind}_name`] = new Field({
        name: `${kind}Name`, label: words.say(kind), visible: true, words, optional: rule.optional,
        check: (value) => (value || rule.optional ? null : words.say('missing')),
        attributes: { autocomplete: kind === 'business' ? 'organization' : 'name' },
      });
    }
    const fields = [...Object.values(this.nameFields), ...this.custom];
    this.fields = fields.length
      ? h('section', { class: 'section', 'data-testid': 'custom-fields' }, fields.map((field) => {
        field.element.append(h('div', { role: 'alert' }, field.error));
        return field.element;
      }))
      : null;
    this.consentPart(page);
    const text = page.custom_text?.submit?.message;
    this.submitText = text ? h('p', { class: 'fine left', 'data-testid': 'text-submit' }, rich(text)) : null;
    const after = page.custom_text?.after_submit?.message;
    this.afterSubmit = after ? h('p', { class: 'fine left', 'data-testid': 'text-after-submit' }, rich(after)) : null;
  }

  customField(field) {
    const { words } = this;
    const rules = field[field.type];
    const limits = [rules.minimum_length, rules.maximum_length];
    const made = new Field({
      name: field.key, id: `custom-${field.key}`, label: field.label.custom, visible: true, words, optional: field.optional,
      check: (value) => {
        if (!value) return field.optional ? null : words.say('missing');
        if (field.type === 'numeric' && !/^\d+$/.test(value)) return words.say('digitsOnly');
        if (limits[0] && value.length < limits[0]) return words.say('tooShort');
        if (limits[1] && value.length > limits[1]) return words.say('tooLong');
        return null;
      },
      options: field.type === 'dropdown' ? [['', words.say('dropdownChoose')], ...rules.options.map((option) => [option.value, option.label])] : undefined,
      attributes: field.type === 'dropdown' ? {} : { inputmode: field.type === 'numeric' ? 'numeric' : undefined, maxlength: limits[1] ?? 255 },
    });
    made.value = rules.value ?? rules.default_value ?? '';
    made.key = field.key;
    return made;
  }

  consentPart(page) {
    const { words } = this;
    const rules = page.consent_collection ?? {};
    const merchant = page.account.display_name;
    const rows = [];
    this.terms = null;
    this.promotions = null;
    if (rules.terms_of_service === 'required') {
      this.terms = h('input', { type: 'checkbox', name: 'termsOfServiceConsentCheckbox', id: 'termsOfServiceConsentCheckbox', 'aria-describedby': 'terms-error' });
      this.termsError = h('p', { class: 'problem', id: 'terms-error', hidden: true });
      const own = page.custom_text?.terms_of_service_acceptance?.message;
      const text = own ? rich(own) : [words.say('termsAccept', { merchant }), page.account.terms_url ? [' ', h('a', { href: page.account.terms_url, target: '_blank', rel: 'noopener' }, words.say('terms'))] : null];
      this.terms.addEventListener('change', () => this.showTerms());
      rows.push(h('div', { class: 'group' }, h('label', { class: 'choice' }, this.terms, h('span', {}, text)), h('div', { role: 'alert' }, this.termsError)));
    }
    if (rules.promotions === 'auto') {
      this.promotions = h('input', { type: 'checkbox', name: 'promotionalConsentCheckbox', id: 'promotionalConsentCheckbox' });
      rows.push(h('label', { class: 'choice' }, this.promotions, h('span', {}, words.say('promotionMail', { merchant }))));
    }
    this.consent = rows.length ? h('section', { class: 'section' }, rows) : null;
  }

  showTerms() {
    const missing = this.terms && !this.terms.checked;
    this.terms?.setAttribute('aria-invalid', String(Boolean(missing)));
    if (this.termsError) {
      this.termsError.hidden = !missing;
      this.termsError.textContent = missing ? this.words.say('missing') : '';
    }
    return !missing;
  }

  validateFields() {
    return [...Object.values(this.nameFields), ...this.custom].filter((field) => !field.validate());
  }

  validateConsent() {
    return this.showTerms() ? [] : [this.terms];
  }

  names() {
    return Object.fromEntries(Object.entries(this.nameFields).map(([key, field]) => [key, field.value]));
  }

  read() {
    const out = {};
    const values = this.custom.filter((field) => field.value).map((field) => [field.key, field.value]);
    if (values.length) out.custom_fields = Object.fromEntries(values);
    if (this.terms || this.promotions) {
      out.consent = {};
      if (this.terms?.checked) out.consent.terms_of_service = 'accepted';
      if (this.promotions) out.consent.promotions = this.promotions.checked ? 'opt_in' : 'opt_out';
    }
    return out;
  }
}
