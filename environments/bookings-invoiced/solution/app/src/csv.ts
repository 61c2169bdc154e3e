// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-1658a989ef8d: keep out of training data
/** A row of a CSV text, with the line it begins on. */
export interface Line {
  line: number;
  cells: string[];
}

/**
 * The rows of a CSV text. Lines without anything in them are left out; fields in double quotes may hold commas, line
 * breaks and doubled quotes.
 */
export function rows(text: string): Line[] {
  const found: Line[] = [];
  let cells: string[] = [];
  let cell = '';
  let quoted = false;
  let line = 1;
  let begun = 1;

  const endRow = (): void => {
    cells.push(cell);
    if (cells.some((value) => value.trim() !== '')) found.push({ line: begun, cells });
    cells = [];
    cell = '';
    begun = line;
  };

  const source = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at];
    if (char === '\n') line += 1;
    if (quoted) {
      if (char !== '"') cell += char;
      else if (source[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (char === '"' && cell.trim() === '') {
      cell = '';
      quoted = true;
    } else if (char === ',') {
      cells.push(cell);
      cell = '';
    } else if (char === '\n') endRow();
    else cell += char;
  }
  endRow();
  return found;
}
