// Amounts in minor units, shown in a language.

const ZERO = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '));
const THREE = new Set('bhd jod kwd omr tnd'.split(' '));

export function decimals(currency) {
  return ZERO.has(currency) ? 0 : THREE.has(currency) ? 3 : 2;
}

export function money(amount, currency, locale = 'en') {
  const places = decimals(currency);
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: currency.toUpperCase(),
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  }).format(exact(amount, places));
}

// A decimal amount of minor units ("0.5") keeps its further places.
export function moneyDecimal(text, currency, locale = 'en') {
  const places = decimals(currency);
  const further = (String(text).split('.')[1] ?? '').length;
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: currency.toUpperCase(),
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: places,
    maximumFractionDigits: places + further,
  }).format(shift(String(text), -places));
}

function exact(amount, places) {
  return shift(String(amount), -places);
}

// Moves the decimal point of a number in text, without floating point.
function shift(text, by) {
  const negative = text.startsWith('-');
  let [whole, part = ''] = text.replace('-', '').split('.');
  const places = -by;
  whole = whole.padStart(places + 1, '0');
  const moved = `${whole.slice(0, whole.length - places)}.${whole.slice(whole.length - places)}${part}`;
  return `${negative ? '-' : ''}${moved.replace(/\.$/, '')}`;
}
