// The Appearance API: a theme, variables over it, rules over both.

const THEMES = {
  stripe: {
    colorPrimary: '#0b6fb8', colorBackground: '#ffffff', colorText: '#1d2b34', colorTextSecondary: '#56656f', colorTextPlaceholder: '#66757f',
    colorDanger: '#b3261e', borderRadius: '6px', line: '#c9d2d8', tint: '#f3f6f7',
  },
  night: {
    colorPrimary: '#6cc3ff', colorBackground: '#1b252c', colorText: '#f2f6f8', colorTextSecondary: '#bac6cd', colorTextPlaceholder: '#a0aeb7',
    colorDanger: '#ff9c94', borderRadius: '6px', line: '#485963', tint: '#24323a',
  },
  flat: {
    colorPrimary: '#14455c', colorBackground: '#eef2f4', colorText: '#16242d', colorTextSecondary: '#51616b', colorTextPlaceholder: '#5b6a74',
    colorDanger: '#b3261e', borderRadius: '10px', line: 'transparent', tint: '#e1e8eb',
  },
};
THEMES.none = THEMES.stripe;
THEMES.minimal = { ...THEMES.stripe, borderRadius: '0px' };

const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
const SELECTOR = /^\.[A-Za-z][A-Za-z-]*(--[A-Za-z]+)?(:{1,2}[a-z-]+(\([^{}()]*\))?)*$/;
const NAMES = new Set(`-moz-osx-font-smoothing -webkit-font-smoothing -webkit-text-fill-color backgroundColor border borderBottom borderBottomColor
borderBottomLeftRadius borderBottomRightRadius borderBottomStyle borderBottomWidth borderColor borderLeft borderLeftColor borderLeftStyle
borderLeftWidth borderRadius borderRight borderRightColor borderRightStyle borderRightWidth borderStyle borderTop borderTopColor borderTopLeftRadius
borderTopRightRadius borderTopStyle borderTopWidth borderWidth boxShadow color fill fontFamily fontSize fontSmooth fontVariant fontWeight letterSpacing
lineHeight margin marginBottom marginLeft marginRight marginTop opacity outline outlineColor outlineOffset outlineStyle outlineWidth padding paddingBottom
paddingLeft paddingRight paddingTop textAlign textDecoration textShadow textTransform transition`.split(/\s+/));

export function applyAppearance(appearance = {}) {
  const theme = THEMES[appearance.theme] ?? THEMES.stripe;
  const values = { ...theme, ...(appearance.variables ?? {}) };
  const root = document.documentElement;
  root.classList.add('light');
  root.dataset.theme = appearance.theme ?? 'stripe';
  root.dataset.labels = appearance.labels ?? 'auto';
  root.dataset.inputs = appearance.inputs ?? 'spaced';
  const put = (name, value) => value !== undefined && root.style.setProperty(name, String(value));
  put('--accent', values.colorPrimary);
  put('--paper', values.colorBackground);
  put('--ink', values.colorText);
  put('--ink-soft', values.colorTextSecondary);
  put('--ink-faint', values.colorTextPlaceholder);
  put('--danger', values.colorDanger);
  put('--line', theme.line === 'transparent' ? theme.tint : theme.line);
  put('--line-strong', values.inputColorBorder ?? theme.line);
  put('--tint', theme.tint);
  put('--radius', values.borderRadius);
  put('--row-gap', values.gridRowSpacing ?? values.spacingGridRow);
  put('--column-gap', values.gridColumnSpacing ?? values.spacingGridColumn);
  put('--label-size', values.labelFontSize ?? values.fontSizeSm);
  put('--label-weight', values.labelFontWeight);
  put('--label-color', values.labelColorText);
  if (values.spacingUnit) put('--unit', values.spacingUnit);
  if (values.fontFamily) root.style.setProperty('font-family', String(values.fontFamily));
  if (values.fontSizeBase) root.style.setProperty('font-size', String(values.fontSizeBase));
  root.style.setProperty('color-scheme', appearance.theme === 'night' ? 'dark' : 'light');
  sheet.replaceSync(rules(appearance.rules ?? {}));
}

// Only our public class names, only harmless properties.
function rules(given) {
  const out = [];
  for (const [selector, properties] of Object.entries(given)) {
    const parts = selector.split(',').map((part) => part.trim());
    if (!parts.every((part) => part.split(/\s+/).every((step) => SELECTOR.test(step)))) continue;
    const body = Object.entries(properties)
      .filter(([name]) => NAMES.has(name))
      .map(([name, value]) => `${kebab(name)}: ${clean(value)} !important`)
      .join('; ');
    out.push(`${parts.join(', ')} { ${body} }`);
  }
  return out.join('\n');
}

const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const clean = (value) => String(value).replace(/[;{}<>\\]/g, '').replace(/url\(/gi, '');
