// Payment methods: their names, the details a customer gives, and what happens after.
//
// fields: what is asked for, in order. bank: a list of banks. after: redirect, code, debit, voucher.

const NAMES = {
  acss_debit: 'Pre-authorised debit', affirm: 'Affirm', afterpay_clearpay: 'Afterpay', alipay: 'Alipay', alma: 'Alma',
  amazon_pay: 'Amazon Pay', au_becs_debit: 'BECS Direct Debit', bacs_debit: 'Bacs Direct Debit', bancontact: 'Bancontact', billie: 'Billie',
  bizum: 'Bizum', blik: 'BLIK', boleto: 'Boleto', card: 'Card', cashapp: 'Cash App Pay', crypto: 'Stablecoins', customer_balance: 'Bank transfer',
  eps: 'EPS', fpx: 'FPX', giropay: 'giropay', grabpay: 'GrabPay', ideal: 'iDEAL', kakao_pay: 'Kakao Pay', klarna: 'Klarna', konbini: 'Konbini',
  kr_card: 'Korean card', link: 'Link', mb_way: 'MB WAY', mobilepay: 'MobilePay', multibanco: 'Multibanco', naver_pay: 'Naver Pay',
  nz_bank_account: 'BECS Direct Debit', oxxo: 'OXXO', p24: 'Przelewy24', pay_by_bank: 'Pay by Bank', payco: 'PAYCO', paynow: 'PayNow', paypal: 'PayPal',
  paypay: 'PayPay', payto: 'PayTo', pix: 'Pix', promptpay: 'PromptPay', revolut_pay: 'Revolut Pay', samsung_pay: 'Samsung Pay', satispay: 'Satispay',
  scalapay: 'Scalapay', sepa_debit: 'SEPA Direct Debit', sequra: 'seQura', sofort: 'Sofort', sunbit: 'Sunbit', swish: 'Swish', twint: 'TWINT',
  upi: 'UPI', us_bank_account: 'US bank account', wechat_pay: 'WeChat Pay', zip: 'Zip',
};

const FIELDS = {
  acss_debit: ['name', 'email', 'institution_number', 'transit_number', 'account_number'],
  afterpay_clearpay: ['name', 'email', 'address'],
  au_becs_debit: ['name', 'email', 'bsb_number', 'account_number'],
  bacs_debit: ['name', 'email', 'sort_code', 'account_number', 'address'],
  bancontact: ['name'],
  blik: ['blik_code'],
  boleto: ['name', 'email', 'tax_id', 'address'],
  eps: ['name', 'bank'],
  fpx: ['bank'],
  giropay: ['name'],
  ideal: ['name', 'bank'],
  klarna: ['email', 'country'],
  konbini: ['name', 'email'],
  multibanco: ['email'],
  nz_bank_account: ['name', 'email', 'bank_code', 'branch_code', 'account_number', 'suffix'],
  oxxo: ['name', 'email'],
  p24: ['name', 'email', 'bank'],
  sepa_debit: ['name', 'email', 'iban'],
  sofort: ['name', 'email', 'bank_country'],
  us_bank_account: ['name', 'email', 'account_holder_type', 'routing_number', 'account_number'],
};

const BANKS = {
  ideal: ['abn_amro', 'asn_bank', 'bunq', 'ing', 'knab', 'n26', 'rabobank', 'regiobank', 'revolut', 'sns_bank', 'triodos_bank', 'van_lanschot'],
  eps: ['bank_austria', 'bawag_psk_ag', 'erste_bank_und_sparkassen', 'raiffeisen_bankengruppe_osterreich', 'volksbank_gruppe'],
  fpx: ['affin_bank', 'alliance_bank', 'ambank', 'bank_islam', 'cimb', 'hong_leong_bank', 'maybank2u', 'public_bank', 'rhb', 'uob'],
  p24: ['alior_bank', 'bank_millennium', 'blik', 'ing', 'mbank_mtransfer', 'pbac_z_ipko', 'santander_przelew24'],
};

const DEBITS = new Set(['acss_debit', 'au_becs_debit', 'bacs_debit', 'nz_bank_account', 'sepa_debit', 'us_bank_account']);
const VOUCHERS = new Set(['boleto', 'konbini', 'multibanco', 'oxxo', 'customer_balance']);

export function methodOf(type) {
  return {
    type, title: NAMES[type] ?? type, fields: FIELDS[type] ?? [], banks: BANKS[type] ?? [],
    after: DEBITS.has(type) ? 'debit' : VOUCHERS.has(type) ? 'voucher' : type === 'card' || type === 'link' ? null : 'redirect',
  };
}

export function bankName(code) {
  return code.split('_').map((word) => (word.length <= 3 && word !== 'und' ? word.toUpperCase() : word[0].toUpperCase() + word.slice(1))).join(' ');
}

export function validIban(text) {
  const iban = text.replace(/\s/g, '').toUpperCase();
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)) return false;
  const digits = [...(iban.slice(4) + iban.slice(0, 4))].map((c) => parseInt(c, 36)).join('');
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}
