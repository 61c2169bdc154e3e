export function money(amount, currency) {
  return new Intl.NumberFormat("en-GB", { style: "currency", currency }).format(amount / 100);
}
