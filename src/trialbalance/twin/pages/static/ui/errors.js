// What the API refused, in the page's language. English pages show the API's own words.

export function localized(error, words) {
  if (!error || words.language === 'en') return error;
  const key = [error.decline_code, error.code].map((code) => `error_${code}`).find((name) => words.has(name));
  return key ? { ...error, message: words.say(key) } : error;
}
