/** "YYYY-MM-DD" of numbers, or null when the calendar has no such day. */
export function calendarDay(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return date.toISOString().slice(0, 10);
}

/** A day as "YYYY-MM-DD" and nothing else, or null. */
export function isoDay(text: unknown): string | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(String(text));
  return match && calendarDay(Number(match[1]), Number(match[2]), Number(match[3]));
}
