// Which language the page speaks, and its words.

import { Words } from './speech.js';
import en from './words/en.js';

const KNOWN = {
  en: () => ({ default: en }),
  da: () => import('./words/da.js'),
  de: () => import('./words/de.js'),
  es: () => import('./words/es.js'),
  fr: () => import('./words/fr.js'),
  it: () => import('./words/it.js'),
  ja: () => import('./words/ja.js'),
  ko: () => import('./words/ko.js'),
  nl: () => import('./words/nl.js'),
  pl: () => import('./words/pl.js'),
  pt: () => import('./words/pt.js'),
  sv: () => import('./words/sv.js'),
  zh: () => import('./words/zh.js'),
};

export async function loadWords(locale) {
  const wanted = locale === 'auto' ? navigator.languages : [locale];
  for (const tag of wanted) {
    const [language] = tag.split('-');
    const load = KNOWN[tag] ?? KNOWN[language];
    if (load) return new Words(tag, (await load()).default, en);
  }
  return new Words('en', en, en);
}
