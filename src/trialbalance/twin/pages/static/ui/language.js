// Which language the page speaks, and its words.

import { Words } from './speech.js';
import en from './words/en.js';

const KNOWN = { en: () => ({ default: en }), de: () => import('./words/de.js'), fr: () => import('./words/fr.js') };

export async function loadWords(locale) {
  const wanted = locale === 'auto' ? navigator.languages : [locale];
  for (const tag of wanted) {
    const [language] = tag.split('-');
    const load = KNOWN[tag] ?? KNOWN[language];
    if (load) return new Words(tag, (await load()).default, en);
  }
  return new Words('en', en, en);
}
