// What a frame knows: its account session, its settings, its words.

import { Words } from '../ui/speech.js';

export const state = { session: null, props: {}, words: new Words('en', {}, {}), view: null, id: null, showIds: false };
