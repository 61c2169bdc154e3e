// What a customer reads when a field is not right, by the error's code, in the language of the element.

import { Words } from '../ui/speech.js';
import en from '../ui/words/en.js';

const KEYS = {
  invalid_expiry_month: 'v_invalid_expiry',
  invalid_expiry_month_past: 'v_invalid_expiry_past',
  invalid_expiry_year_past: 'v_invalid_year_past',
  invalid_expiry_year: 'v_invalid_year',
};
let words = new Words('en', en, en);

// From now on messages are in these words.
export function speak(spoken) {
  words = spoken;
  document.documentElement.lang = words.locale;
}

export const say = (key) => words.say(key);

export function validationError(code) {
  const key = KEYS[code] ?? `v_${code}`;
  return { type: 'validation_error', code, message: words.say(words.has(key) ? key : 'v_other') };
}
