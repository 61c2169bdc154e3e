// Words in the page's language, with numbers and amounts formatted for it.

import { money, moneyDecimal } from './money.js';

export class Words {
  constructor(locale, table, fallback) {
    this.locale = locale;
    [this.language] = locale.split('-');
    this.table = table;
    this.fallback = fallback;
  }

  say(key, values = {}) {
    const text = this.table[key] ?? this.fallback[key] ?? key;
    return text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
  }

  has(key) {
    return key in this.table || key in this.fallback;
  }

  money(amount, currency) {
    return money(amount, currency, this.locale);
  }

  unitMoney(text, currency) {
    return moneyDecimal(text, currency, this.locale);
  }

  date(seconds) {
    return new Intl.DateTimeFormat(this.locale, { dateStyle: 'long', timeZone: 'UTC' }).format(seconds * 1000);
  }

  number(value) {
    return new Intl.NumberFormat(this.locale).format(value);
  }

  percent(value) {
    return new Intl.NumberFormat(this.locale, { maximumFractionDigits: 4 }).format(value);
  }
}
