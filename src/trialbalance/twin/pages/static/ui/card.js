// Card numbers, dates and codes: brands, grouping, checks. Pure functions.

const BRANDS = [
  { name: 'amex', title: 'American Express', starts: [[34], [37]], lengths: [15], groups: [4, 6, 5], code: 4 },
  { name: 'diners', title: 'Diners Club', starts: [[300, 305], [36], [38, 39]], lengths: [14, 16], groups: [4, 6, 4], code: 3 },
  { name: 'jcb', title: 'JCB', starts: [[3528, 3589]], lengths: [16], groups: [4, 4, 4, 4], code: 3 },
  { name: 'unionpay', title: 'UnionPay', starts: [[62], [81]], lengths: [16, 17, 18, 19], groups: [4, 4, 4, 4, 3], code: 3 },
  { name: 'discover', title: 'Discover', starts: [[6011], [644, 649], [65]], lengths: [16], groups: [4, 4, 4, 4], code: 3 },
  { name: 'mastercard', title: 'Mastercard', starts: [[51, 55], [2221, 2720]], lengths: [16], groups: [4, 4, 4, 4], code: 3 },
  { name: 'visa', title: 'Visa', starts: [[4]], lengths: [16], groups: [4, 4, 4, 4], code: 3 },
];
const UNKNOWN = { name: 'unknown', title: '', lengths: [16], groups: [4, 4, 4, 4], code: 3 };

export function digits(text) {
  return text.replace(/[^0-9]/g, '');
}

// The brand that a number, perhaps not yet complete, can only belong to.
export function brandOf(number) {
  if (!number) return UNKNOWN;
  return BRANDS.find((brand) => brand.starts.some((range) => within(number, range))) ?? UNKNOWN;
}

function within(number, [low, high = low]) {
  const width = String(low).length;
  if (number.length < width) return false;
  const head = Number(number.slice(0, width));
  return head >= low && head <= high;
}

export function brandTitle(name) {
  return BRANDS.find((brand) => brand.name === name)?.title ?? name;
}

export function grouped(number) {
  const parts = [];
  let rest = number;
  for (const size of brandOf(number).groups) {
    if (!rest) break;
    parts.push(rest.slice(0, size));
    rest = rest.slice(size);
  }
  if (rest) parts.push(rest);
  return parts.join(' ');
}

export function longest(number) {
  return Math.max(...brandOf(number).lengths);
}

export function luhn(number) {
  let sum = 0;
  for (let i = 0; i < number.length; i += 1) {
    let value = Number(number[number.length - 1 - i]);
    if (i % 2 === 1) value = value > 4 ? value * 2 - 9 : value * 2;
    sum += value;
  }
  return sum % 10 === 0;
}

// null when right, else one of: incomplete_number, invalid_number.
export function checkNumber(number) {
  const { lengths } = brandOf(number);
  if (number.length < Math.min(...lengths)) return 'incomplete_number';
  if (!lengths.includes(number.length) && number.length < Math.max(...lengths)) return 'incomplete_number';
  return luhn(number) ? null : 'invalid_number';
}

// `1234` -> { month: 12, year: 2034 }; two-digit years are those of this century.
export function parseExpiry(text) {
  const plain = digits(text);
  const month = Number(plain.slice(0, 2));
  const year = plain.slice(2);
  return {
    month: plain.length >= 2 ? month : null,
    year: year.length === 4 ? Number(year) : year.length === 2 ? 2000 + Number(year) : null,
  };
}

// What was typed as `MM / YY`. `adding`: the last key added a character, so the separator may come by itself.
export function groupedExpiry(text, adding) {
  let plain = digits(text);
  const shortMonth = text.includes('/') && digits(text.split('/')[0]).length === 1;
  if (shortMonth || /^[2-9]/.test(plain) || /^1[3-9]/.test(plain)) plain = `0${plain}`;
  if (plain.length >= 6 && plain.slice(2, 4) === '20') plain = plain.slice(0, 2) + plain.slice(4, 6);
  else if (!(plain.length === 5 && plain.slice(2, 4) === '20')) plain = plain.slice(0, 4);
  if (plain.length < 2) return plain;
  if (plain.length === 2) return adding ? `${plain} / ` : plain;
  return `${plain.slice(0, 2)} / ${plain.slice(2)}`;
}

// null when right, else incomplete_expiry, invalid_expiry_month, invalid_expiry_year_past, invalid_expiry_month_past,
// invalid_expiry_year. `today` is in seconds.
export function checkExpiry(text, today) {
  const { month, year } = parseExpiry(text);
  const date = new Date(today * 1000);
  const [thisYear, thisMonth] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
  if (month !== null && (month < 1 || month > 12)) return 'invalid_expiry_month';
  if (month === null || year === null) return 'incomplete_expiry';
  if (year < thisYear) return 'invalid_expiry_year_past';
  if (year === thisYear && month < thisMonth) return 'invalid_expiry_month_past';
  if (year > thisYear + 50) return 'invalid_expiry_year';
  return null;
}

export function checkCode(code, brand) {
  const needed = brand.code;
  if (brand.name === 'unknown') return code.length === 3 || code.length === 4 ? null : 'incomplete_cvc';
  return code.length === needed ? null : 'incomplete_cvc';
}
