// Amounts are whole numbers of a currency's smallest unit: cents, pence, rappen. The yen has none smaller.

export const CURRENCIES = {
  eur: { sign: '€', digits: 2 },
  gbp: { sign: '£', digits: 2 },
  chf: { sign: '', digits: 2 },
  jpy: { sign: '¥', digits: 0 },
} as const;

export type Currency = keyof typeof CURRENCIES;

export function isCurrency(text: unknown): text is Currency {
  return typeof text === 'string' && Object.hasOwn(CURRENCIES, text);
}

/** Smallest units as people read them: "45.50 EUR", "12000 JPY". */
export function show(amount: number, currency: Currency): string {
  const { digits } = CURRENCIES[currency];
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency.toUpperCase()}`;
}
