// Difficulties of real browsers, where the server drew some for this document (see pages/adversity.py). Each strikes
// once, tells the journal, and tells it again when the customer has got over it.

import { Beacon } from './beacon.js';
import { say } from './difficulties.js';
import { h } from './dom.js';
import { hash, note } from './hosts.js';

const session = note.session ?? note.invoice ?? (hash.clientSecret ? hash.clientSecret.split('_secret_')[0] : null);
const beacon = new Beacon(note.adversity_page, session);
const struck = (kind, detail = {}) => beacon.send('adversity', { kind, ...detail });
const recovered = (kind, detail = {}) => beacon.send('adversity_recovered', { kind, ...detail });

// Runs before the page's own listeners, until `act` says that it is over.
function intercept(type, act) {
  const listener = (event) => {
    if (act(event)) window.removeEventListener(type, listener, true);
  };
  window.addEventListener(type, listener, true);
}

// The attempts to pay or to confirm: a form that is sent, a confirming button; in an element's frame, what the page asks of it.
const ASKED = ['submitElements', 'createPaymentMethod', 'createConfirmationToken', 'createToken', 'createSource'];
const channel = /^elements-inner-/.test(note.adversity_page) ? await import('../elements/channel.js') : null;

function attempt(act) {
  if (channel) {
    let done = false;
    channel.gate((action) => {
      if (!done && ASKED.includes(action)) done = act(null);
    });
    return;
  }
  let over = false;
  const once = (event) => {
    over ||= Boolean(act(event));
    return over;
  };
  intercept('submit', (event) => over || once(event));
  intercept('click', (event) => over || (event.target.closest?.('button[type=button][data-testid=confirm]') ? once(event) : false));
}

const typed = (element) => element?.matches?.('input:not([type=checkbox]):not([type=radio]), textarea');
const isSubmit = (element) => element.closest?.('button[type=submit], [data-testid="hosted-payment-submit-button"]');
const main = () => document.querySelector('.main-inner') ?? document.getElementById('root');
const stop = (event) => {
  event.preventDefault();
  event.stopImmediatePropagation();
};
const alertBox = (kind, text, ...more) => h('div', { class: 'banner danger', role: 'alert', 'data-testid': `adversity-${kind}` }, h('div', {}, text, more));

const STRIKES = {
  // After a few keys the field lets go; the next keys reach nothing.
  focus_lost({ chance }) {
    let left = 2 + Math.floor(chance * 3);
    intercept('input', ({ target, data }) => {
      if (!typed(target) || data?.length !== 1) return false;
      left -= 1;
      if (left > 0) return false;
      target.blur();
      struck('focus_lost', { field: target.name });
      intercept('input', (event) => {
        if (event.target !== target) return false;
        recovered('focus_lost', { field: target.name });
        return true;
      });
      return true;
    });
  },

  // The server sent the document late already.
  slow_frame({ delay }) {
    struck('slow_frame', { delay });
    intercept('focusin', () => {
      recovered('slow_frame');
      return true;
    });
  },

  late_validation({ delay }) {
    if (channel) {
      let late = null;
      let over = false;
      channel.gate((action) => {
        if (!ASKED.includes(action)) return null;
        if (over && late) {
          late = null;
          recovered('late_validation');
        }
        if (over) return null;
        if (!late) struck('late_validation', { delay });
        late ??= new Promise((resolve) => {
          setTimeout(() => {
            over = true;
            resolve({ type: 'api_connection_error', message: say('late') });
          }, delay * 1000);
        });
        return late;
      });
      return;
    }
    attempt((event) => {
      stop(event);
      struck('late_validation', { delay });
      const place = event.target.closest('form') ?? main();
      const checking = h('p', { class: 'fine', role: 'status' }, say('checking'));
      place.append(checking);
      let told = false;
      attempt((again) => {
        if (told) return true;
        stop(again);
        return false;
      });
      setTimeout(() => {
        told = true;
        checking.remove();
        const box = alertBox('late_validation', say('late'));
        place.append(box);
        attempt(() => {
          box.remove();
          recovered('late_validation');
          return true;
        });
      }, delay * 1000);
      return true;
    });
  },

  // In the portal, where little is typed, it comes with the first view that a button opens.
  intercepting_modal() {
    let shown = false;
    const show = ({ target }) => {
      if (shown) return true;
      shown = true;
      const close = () => {
        cover.remove();
        recovered('intercepting_modal');
        if (target.isConnected) target.focus();
      };
      const cover = h('div', { 'data-testid': 'adversity-intercepting_modal', style: { position: 'fixed', inset: '0', 'z-index': '50', display: 'grid', 'place-items': 'center', background: 'rgb(0 0 0 / 45%)' } },
        h('div', { role: 'dialog', 'aria-modal': 'true', 'aria-label': say('news'), style: { background: 'var(--paper)', color: 'var(--ink)', padding: '24px', 'border-radius': '10px', display: 'grid', gap: '16px' } },
          h('p', {}, say('newsQuestion')),
          h('button', { type: 'button', class: 'button', onclick: close }, say('notNow'))));
      cover.addEventListener('keydown', (event) => event.key === 'Escape' && close());
      document.body.append(cover);
      struck('intercepting_modal');
      return true;
    };
    intercept('input', (event) => (typed(event.target) ? show(event) : false));
    if (note.adversity_page === 'portal') intercept('click', (event) => (event.target.closest?.('button:not([type=submit], [data-testid=confirm])') ? show(event) : false));
  },

  // The page's module runs once more, or the element builds its form again: other inputs, and what was typed is gone.
  rerender({ chance }) {
    let left = 2 + Math.floor(chance * 3);
    intercept('change', ({ target }) => {
      if (!typed(target)) return false;
      left -= 1;
      if (left > 0) return false;
      const lost = [...document.querySelectorAll('input')].filter((input) => typed(input) && input.value).map((input) => input.name);
      struck('rerender', { fields: lost });
      if (channel) window.dispatchEvent(new MessageEvent('message', { data: { stripeParent: hash.frame, action: 'clear' }, source: window.parent, origin: hash.parent ?? '' }));
      else import(`${document.querySelector('script[type=module]').src}?drawn=again`);
      attempt(() => {
        const empty = lost.filter((name) => !document.querySelector(`input[name="${CSS.escape(name)}"]`)?.value);
        if (empty.length) return false;
        recovered('rerender');
        return true;
      });
      return true;
    });
  },

  missed_click() {
    let missed = null;
    intercept('click', (event) => {
      const button = isSubmit(event.target) ?? (document.body.classList.contains('over') ? null : event.target.closest?.('button'));
      if (!button) return false;
      if (missed) {
        recovered('missed_click');
        return true;
      }
      missed = button;
      stop(event);
      button.style.transform = 'translateY(9px)';
      struck('missed_click', { button: button.textContent.trim() });
      return false;
    });
  },

  expired_session() {
    attempt((event) => {
      stop(event);
      struck('expired_session');
      const reload = h('button', { type: 'button', class: 'button', onclick: () => window.location.reload() }, say('refresh'));
      main().replaceChildren(alertBox('expired_session', say('waited'), ' ', reload));
      return true;
    });
  },
};

for (const strike of note.adversity) STRIKES[strike.kind](strike);
