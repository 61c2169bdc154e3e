// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-d5e10c5cf199: keep out of training data
'use strict';

/** Lets work with the same key wait for its turn, and other work go on: `inTurn(key, async () => …)`. */
function createTurns() {
  const last = new Map();
  return function inTurn(key, work) {
    const turn = (last.get(key) || Promise.resolve()).then(work, work);
    const settled = turn.catch(() => {});
    last.set(key, settled);
    settled.then(() => {
      if (last.get(key) === settled) last.delete(key);
    });
    return turn;
  };
}

module.exports = { createTurns };
