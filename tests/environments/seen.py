"""What a person sees of a Checkout page who looks at it and uses it, as one text, for comparing two pages.

No names and ids of controls, and no values behind choices: nobody sees them. Looks, limits and messages are in it; so is
what comes of adding what is offered, of an address, of texts of every length in the fields, of a separate billing address.
"""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser, BrowserContext

SNAPSHOT = """
() => {
  const out = [document.title];
  const looks = (node, ...names) => names.map((name) => getComputedStyle(node)[name]).join(' ');
  const told = ['type', 'placeholder', 'aria-label', 'aria-invalid', 'min', 'max', 'maxlength', 'inputmode',
    'href', 'src', 'alt', 'role'];
  out.push(looks(document.body, 'fontFamily'));
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      const text = node.textContent.trim();
      if (text) out.push(text);
      return;
    }
    if (node.nodeType !== Node.ELEMENT_NODE || node.hidden) return;
    if (['SCRIPT', 'STYLE', 'svg'].includes(node.tagName)) return;
    const parts = [node.tagName.toLowerCase()];
    for (const name of told) if (node.hasAttribute(name)) parts.push(`${name}=${node.getAttribute(name)}`);
    if (node.disabled) parts.push('disabled');
    if (node.tagName === 'INPUT') {
      const box = ['radio', 'checkbox'].includes(node.type);
      parts.push(box ? `checked=${node.checked}` : `value=${node.value}`);
    }
    if (node.tagName === 'SELECT') {
      out.push(parts.join(' '), `chosen ${node.selectedOptions[0]?.textContent}`);
      out.push(...[...node.options].map((option) => `option ${option.textContent}`));
      return;
    }
    if (['ASIDE', 'BUTTON', 'INPUT'].includes(node.tagName)) {
      parts.push(looks(node, 'backgroundColor', 'color', 'borderRadius'));
    }
    out.push(parts.join(' '));
    for (const child of node.childNodes) walk(child);
  };
  walk(document.getElementById('root'));
  return out.join('\\n');
}
"""
LENGTHS = """
() => [...document.querySelectorAll('[data-testid="custom-fields"] input')].map((input) => {
  const said = [];
  for (let length = 1; length <= 12; length += 1) {
    input.value = '1'.repeat(length);
    input.dispatchEvent(new Event('blur'));
    const error = input.closest('.group')?.querySelector('.problem:not([hidden])')?.textContent ?? '';
    said.push(error);
  }
  input.value = 'a1';
  input.dispatchEvent(new Event('blur'));
  said.push(input.closest('.group')?.querySelector('.problem:not([hidden])')?.textContent ?? '');
  return said.join('|');
}).join('\\n')
"""
SEATTLE = {"AddressLine1": "5 Pike Street", "Locality": "Seattle", "PostalCode": "98101"}


class Viewer:
    """Looks at the pages of a served twin."""

    def __init__(self, chromium: Browser, url: str) -> None:
        self.url = url
        self.context: BrowserContext = chromium.new_context(
            locale="en-US", viewport={"width": 1280, "height": 900}
        )
        self.context.set_default_timeout(20_000)
        self.tab = self.context.new_page()
        self.asking = 0
        self.tab.on("request", lambda _: self.count(1))
        self.tab.on("requestfinished", lambda _: self.count(-1))
        self.tab.on("requestfailed", lambda _: self.count(-1))

    def count(self, change: int) -> None:
        """Requests that are under way."""
        self.asking += change

    def settle(self) -> None:
        """Wait until the page has asked for everything."""
        quiet = 0
        for _ in range(400):
            self.tab.wait_for_timeout(20)
            quiet = quiet + 1 if self.asking <= 0 else 0
            if quiet == 3:
                return
        raise TimeoutError("the page does not come to rest")

    def seen(self, session: str) -> str:
        """Everything that is seen of a session's page."""
        tab = self.tab
        self.asking = 0
        tab.goto(f"{self.url}/c/pay/{session}")
        tab.wait_for_selector(".page", state="attached")
        text: Any = [tab.evaluate(SNAPSHOT)]
        if tab.locator("#payment-method-card:not(:checked)").count():
            tab.evaluate("document.getElementById('payment-method-card').click()")
            text.append(tab.evaluate(SNAPSHOT))
        if tab.locator("#billingSameAsShipping").count():
            tab.evaluate("document.getElementById('billingSameAsShipping').click()")
            text.append(tab.evaluate(SNAPSHOT))
        text.append(tab.evaluate(LENGTHS))
        text += [self.with_offers(), self.with_address()]
        return "\n\n".join(text)

    def with_offers(self) -> str:
        """After everything that is offered was added."""
        tab = self.tab
        buttons = tab.locator(".side-inner .section ul.lines button.button")
        offers = buttons.count()
        for _ in range(offers):
            buttons.first.dispatch_event("click")
            self.settle()
        return str(tab.evaluate(SNAPSHOT)) if offers else ""

    def with_address(self) -> str:
        """After somebody in Seattle filled in an address; without automatic tax nothing comes of it."""
        tab = self.tab
        kind = "shipping" if tab.locator('[name="shippingCountry"] option[value="US"]').count() else "billing"
        country = tab.locator(f'[name="{kind}Country"]')
        if (
            not country.count()
            or not country.is_visible()
            or not tab.locator(f'[name="{kind}AddressLine1"]').count()
        ):
            return ""
        values = {f"{kind}{name}": value for name, value in SEATTLE.items()}
        tab.evaluate(
            """([country, state, values]) => {
              const find = (name) => document.querySelector(`[name="${name}"]`);
              find(country).value = 'US';
              find(country).dispatchEvent(new Event('change', { bubbles: true }));
              if (find(state)) find(state).value = 'WA';
              for (const [name, value] of Object.entries(values)) find(name).value = value;
              find(Object.keys(values)[0]).dispatchEvent(new Event('change', { bubbles: true }));
            }""",
            [f"{kind}Country", f"{kind}AdministrativeArea", values],
        )
        self.settle()
        return str(tab.locator('[data-testid="order-summary"]').inner_text())

    def close(self) -> None:
        """Close the browser's profile."""
        self.context.close()
