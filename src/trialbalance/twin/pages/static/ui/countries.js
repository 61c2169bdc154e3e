// Countries and how their addresses are written.

export const CODES = `AC AD AE AF AG AI AL AM AO AQ AR AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW
BY BZ CA CD CF CG CH CI CK CL CM CN CO CR CV CW CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FO FR GA GB GD GE GF
GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HN HR HT HU ID IE IL IM IN IO IQ IS IT JE JM JO JP KE KG KH KI KM KN KR KW KY
KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MK ML MM MN MO MQ MR MS MT MU MV MW MX MY MZ NA NC NE NG NI NL NO NP
NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV
SX SZ TA TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VG VN VU WF WS XK YE YT ZA ZM ZW`.split(/\s+/);

const US = 'AL AK AS AZ AR AA AE AP CA CO CT DE DC FL GA GU HI ID IL IN IA KS KY LA ME MH MD MA MI FM MN MS MO MT NE NV NH NJ NM NY NC ND MP OH OK OR PW PA PR RI SC SD TN TX UT VT VI VA WA WV WI WY';
const US_NAMES = 'Alabama|Alaska|American Samoa|Arizona|Arkansas|Armed Forces (AA)|Armed Forces (AE)|Armed Forces (AP)|California|Colorado|Connecticut|Delaware|District of Columbia|Florida|Georgia|Guam|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Marshall Islands|Maryland|Massachusetts|Michigan|Micronesia|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New York|North Carolina|North Dakota|Northern Mariana Islands|Ohio|Oklahoma|Oregon|Palau|Pennsylvania|Puerto Rico|Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virgin Islands|Virginia|Washington|West Virginia|Wisconsin|Wyoming';
const CA = 'AB BC MB NB NL NT NS NU ON PE QC SK YT';
const CA_NAMES = 'Alberta|British Columbia|Manitoba|New Brunswick|Newfoundland and Labrador|Northwest Territories|Nova Scotia|Nunavut|Ontario|Prince Edward Island|Quebec|Saskatchewan|Yukon';
const AU = 'ACT NSW NT QLD SA TAS VIC WA';
const AU_NAMES = 'Australian Capital Territory|New South Wales|Northern Territory|Queensland|South Australia|Tasmania|Victoria|Western Australia';
const table = (codes, names) => codes.split(' ').map((code, i) => [code, names.split('|')[i]]);

// What a country's subdivisions are called and which there are.
export const SUBDIVISIONS = {
  US: { word: 'state', list: table(US, US_NAMES) },
  CA: { word: 'province', list: table(CA, CA_NAMES) },
  AU: { word: 'state', list: table(AU, AU_NAMES) },
};
const FREE_REGION = new Set(['BR', 'CN', 'ES', 'HK', 'ID', 'IE', 'IN', 'IT', 'JP', 'KR', 'MX', 'MY', 'PH', 'TH', 'TW', 'VN', 'AE', 'AR']);
const NO_POSTAL = new Set(`AE AG AN AO AW BF BI BJ BO BS BW BZ CD CF CG CI CK CM DJ DM ER FJ GD GH GM GN GQ GY HK IE JM KE KI KM
KN LC ML MO MR MS MU MW NA NR NU PA QA RW SB SC SL SO SR ST SY TF TG TK TL TO TT TV TZ UG VU YE ZA ZW`.split(/\s+/));

// Which fields an address of a country has, in its order.
export function fieldsOf(country) {
  const fields = ['line1', 'line2', 'city'];
  if (SUBDIVISIONS[country] || FREE_REGION.has(country)) fields.push('state');
  if (!NO_POSTAL.has(country)) fields.push('postal_code');
  return fields;
}

export function subdivisionsOf(country) {
  return SUBDIVISIONS[country] ?? null;
}

// Countries whose cards are checked with a postal code alone.
export function cardPostal(country) {
  return ['US', 'CA', 'GB', 'PR'].includes(country);
}

export function postalRight(country, text) {
  const value = text.trim().toUpperCase();
  if (country === 'US') return /^\d{5}(-?\d{4})?$/.test(value);
  if (country === 'CA') return /^[A-Z]\d[A-Z] ?\d[A-Z]\d$/.test(value);
  if (country === 'GB') return /^[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$/.test(value);
  return value.length >= 2;
}

export function namesIn(locale, codes = CODES) {
  let names;
  try {
    names = new Intl.DisplayNames([locale, 'en'], { type: 'region' });
  } catch {
    names = new Intl.DisplayNames(['en'], { type: 'region' });
  }
  return codes
    .map((code) => [code, code === 'ZZ' ? 'Other' : (names.of(code) ?? code)])
    .sort((a, b) => a[1].localeCompare(b[1], locale));
}
