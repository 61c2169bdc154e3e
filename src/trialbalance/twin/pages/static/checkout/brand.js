// The merchant's colours, shapes and letters, with text that stays readable on them.

const FONTS = { default: null };

export function dress(branding) {
  if (!branding) return;
  const root = document.documentElement.style;
  const { background_color: background, button_color: button, border_style: shape, font_family: font } = branding;
  if (button) {
    root.setProperty('--accent', button);
    root.setProperty('--on-accent', readableOn(button));
  }
  if (background && background.toLowerCase() !== '#ffffff') {
    const ink = readableOn(background);
    root.setProperty('--side', background);
    root.setProperty('--side-ink', ink);
    root.setProperty('--side-soft', `color-mix(in srgb, ${ink} 82%, ${background})`);
    root.setProperty('--side-danger', ink);
  }
  const radius = { rectangular: '0px', pill: '8px', rounded: '8px' }[shape] ?? '8px';
  root.setProperty('--radius', radius);
  root.setProperty('--button-radius', shape === 'pill' ? '99px' : radius);
  const family = FONTS[font] === null || !font ? null : font.replaceAll('_', ' ');
  if (family) document.body.style.fontFamily = `"${family}", ${/serif|bitter|lora|slab/.test(font) && !/sans/.test(font) ? 'serif' : /mono|inconsolata/.test(font) ? 'monospace' : 'system-ui, sans-serif'}`;
}

// Black or white, whichever has the stronger contrast.
export function readableOn(colour) {
  const match = /^#?([0-9a-f]{6})$/i.exec(colour);
  if (!match) return '#ffffff';
  const channels = [0, 2, 4].map((i) => parseInt(match[1].slice(i, i + 2), 16) / 255)
    .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  const luminance = 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2];
  return 1.05 / (luminance + 0.05) >= 4.5 ? '#ffffff' : '#10181d';
}
