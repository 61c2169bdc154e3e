// The appearance of embedded components: variables over our own look. Anything else cannot be changed.

const GROUPS = `fontFamily fontSizeBase spacingUnit borderRadius colorPrimary colorBackground colorText colorDanger colorSecondaryText
buttonPrimary(ColorBackground ColorBorder ColorText) buttonSecondary(ColorBackground ColorBorder ColorText) buttonDanger(ColorBackground ColorBorder ColorText)
buttonPaddingX buttonPaddingY buttonLabel(FontSize FontWeight TextTransform)
actionPrimary(ColorText TextDecorationLine TextDecorationColor TextDecorationStyle TextDecorationThickness TextTransform)
actionSecondary(ColorText TextDecorationLine TextDecorationColor TextDecorationStyle TextDecorationThickness TextTransform)
badgeNeutral(ColorBackground ColorText ColorBorder) badgeSuccess(ColorBackground ColorText ColorBorder) badgeWarning(ColorBackground ColorText ColorBorder)
badgeDanger(ColorBackground ColorText ColorBorder) badgePaddingX badgePaddingY badgeLabel(FontSize FontWeight TextTransform)
offsetBackgroundColor formBackgroundColor colorBorder formHighlightColorBorder formAccentColor formPlaceholderTextColor inputFieldPaddingX inputFieldPaddingY
tableRowPaddingY buttonBorderRadius formBorderRadius badgeBorderRadius overlayBorderRadius overlayZIndex overlayBackdropColor
bodyMd(FontSize FontWeight) bodySm(FontSize FontWeight) headingXl(FontSize FontWeight TextTransform) headingLg(FontSize FontWeight TextTransform)
headingMd(FontSize FontWeight TextTransform) headingSm(FontSize FontWeight TextTransform) headingXs(FontSize FontWeight TextTransform)
labelMd(FontSize FontWeight TextTransform) labelSm(FontSize FontWeight TextTransform)`;
const NAMES = new Set(
  [...GROUPS.matchAll(/(\w+)(?:\(([^)]*)\))?/g)].flatMap(([, head, tails]) => (tails ? tails.split(' ').map((tail) => head + tail) : [head])),
);
const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
let applied = [];

export function applyAppearance(appearance = {}) {
  const root = document.documentElement;
  root.classList.add('light');
  root.dataset.overlays = appearance.overlays ?? 'dialog';
  for (const name of applied) root.style.removeProperty(name);
  applied = [];
  for (const [name, value] of Object.entries(appearance.variables ?? {})) {
    if (!NAMES.has(name)) {
      console.warn(`[Connect.js] There is no appearance variable "${name}".`);
      continue;
    }
    const property = `--${kebab(name)}`;
    root.style.setProperty(property, String(value));
    applied.push(property);
  }
}
