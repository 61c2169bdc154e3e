// Tax numbers by country: their kind, how they look, an example.

const vat = (code, pattern, example) => ({ type: 'eu_vat', pattern: new RegExp(`^${code}${pattern}$`, 'i'), example: `${code}${example}` });
const own = (type, pattern, example) => ({ type, pattern, example });

export const taxTypes = {
  AE: own('ae_trn', /^\d{15}$/, '123456789012345'), AT: vat('AT', 'U\\d{8}', 'U12345678'), AU: own('au_abn', /^\d{11}$/, '12345678912'),
  BE: vat('BE', '[01]\\d{9}', '0123456789'), BG: vat('BG', '\\d{9,10}', '0123456789'), BR: own('br_cnpj', /^[\d./-]{14,18}$/, '01.234.456/5432-10'),
  CA: own('ca_bn', /^\d{9}$/, '123456789'), CH: own('ch_vat', /^CHE-?\d{3}\.?\d{3}\.?\d{3}(MWST|TVA|IVA)?$/i, 'CHE-123.456.789 MWST'), CY: vat('CY', '\\d{8}[A-Z]', '12345678Z'),
  CZ: vat('CZ', '\\d{8,10}', '1234567890'), DE: vat('DE', '\\d{9}', '123456789'), DK: vat('DK', '\\d{8}', '12345678'), EE: vat('EE', '\\d{9}', '123456789'),
  ES: vat('ES', '[A-Z0-9]\\d{7}[A-Z0-9]', 'A1234567Z'), FI: vat('FI', '\\d{8}', '12345678'), FR: vat('FR', '[A-Z0-9]{2}\\d{9}', 'AB123456789'), GB: own('gb_vat', /^GB\d{9}(\d{3})?$/i, 'GB123456789'),
  GR: vat('EL', '\\d{9}', '123456789'), HK: own('hk_br', /^\d{8}$/, '12345678'), HR: vat('HR', '\\d{11}', '12345678912'), HU: vat('HU', '\\d{8}', '12345678'), IE: vat('IE', '\\d{7}[A-Z]{1,2}', '1234567AB'),
  IN: own('in_gst', /^\d{2}[A-Z0-9]{13}$/i, '12ABCDE3456FGZH'), IT: vat('IT', '\\d{11}', '12345678912'), JP: own('jp_trn', /^T\d{13}$/i, 'T1234567891234'), KR: own('kr_brn', /^\d{3}-?\d{2}-?\d{5}$/, '123-45-67890'),
  LT: vat('LT', '\\d{9}(\\d{3})?', '123456789123'), LU: vat('LU', '\\d{8}', '12345678'), LV: vat('LV', '\\d{11}', '12345678912'), MT: vat('MT', '\\d{8}', '12345678'), MX: own('mx_rfc', /^[A-Z&]{3,4}\d{6}[A-Z0-9]{3}$/i, 'ABC010203AB9'),
  NL: vat('NL', '\\d{9}B\\d{2}', '123456789B12'), NO: own('no_vat', /^\d{9}MVA$/i, '123456789MVA'), NZ: own('nz_gst', /^\d{8,9}$/, '123456789'), PL: vat('PL', '\\d{10}', '1234567890'), PT: vat('PT', '\\d{9}', '123456789'),
  RO: vat('RO', '\\d{2,10}', '1234567891'), SE: vat('SE', '\\d{12}', '123456789123'), SG: own('sg_gst', /^[A-Z0-9]{9,10}$/i, 'M12345678X'), SI: vat('SI', '\\d{8}', '12345678'), SK: vat('SK', '\\d{10}', '1234567891'),
  US: own('us_ein', /^\d{2}-?\d{7}$/, '12-3456789'), ZA: own('za_vat', /^4\d{9}$/, '4123456789'),
};
