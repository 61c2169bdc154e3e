// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-791815a1312f: keep out of training data
'use strict';

/**
 * The rows of a CSV text, each with the line it begins on: [{ line, cells }]. Lines without anything in them are
 * left out; fields in double quotes may hold commas, line breaks and doubled quotes.
 */
function rows(text) {
  const found = [];
  let cells = [];
  let cell = '';
  let quoted = false;
  let line = 1;
  let begun = 1;

  const endRow = () => {
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

module.exports = { rows };
