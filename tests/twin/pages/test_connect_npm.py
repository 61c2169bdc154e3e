"""The unmodified npm packages `@stripe/connect-js` and `@stripe/react-connect-js`, under Stripe's names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.twin.pages.bundle import bundle, installed
from tests.twin.pages.connect import layer, over, pay, seller, session
from tests.twin.pages.site import Site, serve_as_stripe

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not installed(), reason="npm packages are not installed (npm ci)"),
]
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' https://connect-js.stripe.com; style-src 'self'; "
    "frame-src https://connect-js.stripe.com; img-src https://*.stripe.com; connect-src 'self'"
)


@pytest.fixture
def seat(chromium: Browser, tmp_path: Path) -> Iterator[tuple[Site, Page]]:
    """A twin under Stripe's names and a page behind a strict content security policy."""
    with serve_as_stripe(tmp_path) as (site, arguments):
        browser = chromium.browser_type.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", *arguments]
        )
        page = browser.new_context(ignore_https_errors=True, locale="en-US").new_page()
        page.set_default_timeout(20_000)
        problems: list[str] = []
        page.on("console", lambda m: problems.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        site.shop.headers["content-security-policy"] = POLICY
        yield site, page
        browser.close()
        assert not problems


def show(site: Site, page: Page, script: str, *packages: str, **values: Any) -> None:
    site.shop.scripts["/bundle.js"] = bundle(*packages)
    constants = {"pk": site.twin.publishable_key, **values}
    before = "".join(f"const {name} = {json.dumps(value)};" for name, value in constants.items())
    head = '<script src="/bundle.js"></script>'
    page.goto(site.shop.page("/seat", '<div id="app"></div>', before + script, head=head))


@pytest.mark.parametrize("package", ["@stripe/connect-js", "@stripe/connect-js/pure", "connect-js-2024"])
def test_the_package_loads_components(seat: tuple[Site, Page], package: str) -> None:
    site, page = seat
    account = seller(site)
    intent = pay(site, account, 6400)
    script = """
    const {loadConnectAndInitialize} = require(PACKAGE); let closed = 0;
    const instance = loadConnectAndInitialize({publishableKey: pk, fetchClientSecret: async () => secret,
      appearance: {overlays: 'drawer', variables: {colorPrimary: '#335544'}}});
    const list = instance.create('payments'); const one = instance.create('payment-details');
    one.setPayment(intent); one.setOnClose(() => { document.body.dataset.closed = String(closed += 1); });
    document.getElementById('app').append(list, one);
    """.replace("PACKAGE", json.dumps(package))
    show(site, page, script, package, secret=session(site, account), intent=intent.id)
    sheet = over(page, "payment-details")
    expect(sheet.get_by_role("heading", name="$64.00")).to_be_visible()
    sheet.get_by_role("button", name="Close").click()
    expect(page.locator("body")).to_have_attribute("data-closed", "1")
    expect(layer(page, "payments").get_by_role("row")).to_have_count(2)
    assert {frame.url.split("/")[2] for frame in page.frames if frame.url.startswith("https")} == {
        "connect-js.stripe.com"
    }


def test_the_package_of_2023(seat: tuple[Site, Page]) -> None:
    site, page = seat
    account = seller(site)
    intent = pay(site, account, 6400)
    script = """
    let closed = 0;
    require('connect-js-2023').loadConnect().then((wrapper) => {
      const connect = wrapper.initialize({publishableKey: pk, clientSecret: secret,
        refreshClientSecret: async () => secret});
      const list = connect.create('payments'); const one = connect.create('payment-details');
      one.setAttribute('payment', intent);
      one.addEventListener('close', () => { document.body.dataset.closed = String(closed += 1); });
      document.getElementById('app').append(list, one); });
    """
    show(site, page, script, "connect-js-2023", secret=session(site, account), intent=intent.id)
    sheet = over(page, "payment-details")
    expect(sheet.get_by_role("heading", name="$64.00")).to_be_visible()
    sheet.get_by_role("button", name="Close").click()
    expect(page.locator("body")).to_have_attribute("data-closed", "1")
    expect(layer(page, "payments").get_by_role("row")).to_have_count(2)


def test_components_in_react(seat: tuple[Site, Page]) -> None:
    site, page = seat
    account = seller(site)
    for amount in (1000, 2000):
        pay(site, account, amount)
    script = """
    const React = require('react'); const {createRoot} = require('react-dom/client'); const h = React.createElement;
    const {loadConnectAndInitialize} = require('@stripe/connect-js'); const kit = require('@stripe/react-connect-js');
    const App = () => {
      const [instance] = React.useState(() => loadConnectAndInitialize({
        publishableKey: pk, fetchClientSecret: async () => secrets.shift()}));
      const [open, setOpen] = React.useState(true); const [told, setTold] = React.useState('');
      return h(kit.ConnectComponentsProvider, {connectInstance: instance},
        h('button', {onClick: () => setOpen(!open)}, 'Toggle'),
        open ? h(kit.ConnectPayments, {defaultFilters: {amount: {greaterThan: 1500}},
          onLoaderStart: ({elementTagName}) => setTold(elementTagName)}) : null,
        h(kit.ConnectBalances), h('p', {id: 'told'}, told)); };
    createRoot(document.getElementById('app')).render(h(React.StrictMode, null, h(App)));
    """
    packages = ("react", "react-dom/client", "@stripe/connect-js", "@stripe/react-connect-js")
    secrets = [session(site, account) for _ in range(2)]
    show(site, page, script, *packages, secrets=secrets)
    frame = layer(page, "payments")
    expect(frame.get_by_role("row")).to_have_count(2)
    expect(frame.get_by_role("row").nth(1)).to_contain_text("$20.00")
    expect(page.locator("#told")).to_have_text("payments")
    expect(layer(page, "balances").get_by_text("On the way")).to_be_visible()
    page.get_by_role("button", name="Toggle").click()
    expect(page.locator('[data-testid="stripe-connect-ui-layer-stripe-connect-payments"]')).to_have_count(0)
    page.get_by_role("button", name="Toggle").click()
    expect(frame.get_by_role("row").nth(1)).to_contain_text("$20.00")
