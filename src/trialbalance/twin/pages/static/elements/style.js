// The `style` option of classic elements, applied to the fields of this frame.

const PROPERTIES = new Set([
  'backgroundColor', 'color', 'fontFamily', 'fontSize', 'fontSmoothing', 'fontStyle', 'fontVariant', 'fontWeight',
  'iconColor', 'letterSpacing', 'lineHeight', 'padding', 'textAlign', 'textDecoration', 'textShadow', 'textTransform',
]);
const PSEUDO = [':hover', ':focus', '::placeholder', '::selection', ':-webkit-autofill', ':disabled'];
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

export function applyStyle(style = {}) {
  const rules = [];
  for (const variant of ['base', 'complete', 'empty', 'invalid']) {
    const given = style[variant];
    if (!given) continue;
    const root = variant === 'base' ? '.field' : `.field.is-${variant}`;
    rules.push(rule(root, given));
    for (const pseudo of PSEUDO) if (given[pseudo]) rules.push(rule(`${root}${pseudo}`, given[pseudo]));
    if (given.iconColor) {
      const icon = variant === 'base' ? '.brand' : `.is-${variant} .brand`;
      rules.push(`${icon} { color: ${clean(given.iconColor)} }`);
    }
  }
  sheet.replaceSync(rules.join('\n'));
}

function rule(selector, values) {
  const text = Object.entries(values)
    .filter(([name]) => PROPERTIES.has(name) && name !== 'iconColor')
    .map(([name, value]) => `${kebab(name)}: ${clean(value)}`)
    .join('; ');
  return `${selector} { ${text} }`;
}

const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const clean = (value) => String(value).replace(/[;{}<>]/g, '');
