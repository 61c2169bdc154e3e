/** Amounts in words: `29.00 €` would be wrong for the yen, so the currency decides. */
export function money(amount: number, currency: string): string {
  const format = new Intl.NumberFormat("en-IE", { style: "currency", currency: currency.toUpperCase() });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  const whole = amount % 10 ** digits === 0;
  return new Intl.NumberFormat("en-IE", {
    style: "currency",
    currency: currency.toUpperCase(),
    minimumFractionDigits: whole ? 0 : digits,
  }).format(amount / 10 ** digits);
}
