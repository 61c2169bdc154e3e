export const CURRENCIES = { DE: "eur", GB: "gbp", US: "usd" };

/** Our share of an order, in whole minor units; what is left over of a cent is the shop's. */
export function feeOf(amount, percent) {
  return Math.floor((amount * percent) / 100);
}

/** "12", "12.5" or "12.50" as minor units; null for anything else. */
export function readAmount(text) {
  const match = /^(\d{1,5})(?:[.,](\d{1,2}))?$/.exec(String(text ?? "").trim());
  if (!match) return null;
  const amount = Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"));
  return amount > 0 ? amount : null;
}
