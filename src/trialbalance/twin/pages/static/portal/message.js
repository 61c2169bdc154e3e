// What was refused, said where it was asked.

import { h, replace } from '../ui/dom.js';
import { icon } from '../ui/icons.js';

export function tell(message, text) {
  message.hidden = !text;
  replace(message, text ? h('div', { class: 'banner danger', role: 'alert', 'data-testid': 'form-error' }, icon('alert'), h('span', {}, text)) : []);
}
