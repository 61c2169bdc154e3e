"""A customer with a browser, in the network of a real sandbox."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.grading.build import PlaceOf, task_with
from trialbalance.grading import Failed, GraderFault, Shopper
from trialbalance.grading.locate import by_role, css
from trialbalance.grading.place import Place

pytestmark = [pytest.mark.sandbox, pytest.mark.browser]

SERVER = r'''
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SHOP = """<!doctype html><title>Shop</title><h1>Kettles   and Lamps</h1>
<label>Your name <input name="who"></label>
<label>Size <select><option>Small</option><option>Large</option></select></label>
<label><input type="radio" name="gift" value="y"> Wrapped</label>
<label><input type="checkbox"> I agree</label>
<input placeholder="Discount code" id="code">
<button onclick="out.textContent = 'Hello ' + who.value + ' ' + size() + ' ' + code.value">Say hello</button>
<button onclick="out.textContent = 'exact'">Say</button>
<button onclick="setTimeout(() => out.textContent = 'Later', 300)">Wait</button>
<button disabled>Sold out</button>
<button onclick="location = '/thanks?order=7'">Leave</button>
<button onclick="window.open('/thanks')">New tab</button>
<button onclick="console.error('something broke')">Break</button>
<a href="/thanks">Read more</a>
<p id="out"></p><p style="display:none">hidden words</p>
<iframe srcdoc="<label>Card number <input autocomplete='cc-number'></label>
<label>Expiry <input autocomplete='cc-exp'></label><label>CVC <input autocomplete='cc-csc'></label>
<label>ZIP <input autocomplete='postal-code'></label>"></iframe>
<script>
const out = document.getElementById('out'), who = document.querySelector('[name=who]');
const size = () => document.querySelector('select').value
  + (document.querySelector('[type=radio]').checked ? ' wrapped' : '')
  + (document.querySelector('[type=checkbox]').checked ? ' agreed' : '');
document.cookie = 'seen=1';
fetch('/data').then(r => r.text()).then(t => { document.title = t });
</script>"""

CHECKOUT = """<!doctype html><h1>Pay</h1><form onsubmit="return send()">
<label>Email <input type="email" id="email"></label>
<label>Card number <input autocomplete="cc-number"></label>
<label>Expiration <input autocomplete="cc-exp"></label>
<label>CVC <input autocomplete="cc-csc"></label>
<label>Cardholder name <input autocomplete="cc-name"></label>
<button type="submit" data-testid="hosted-payment-submit-button">Pay</button></form><div role="alert" id="alert"></div>
<div id="bank"></div>
<script>
const value = name => document.querySelector('[autocomplete=' + name + ']').value;
const gone = () => location = '/thanks?' + [value('cc-number'), value('cc-exp'), value('cc-csc'), value('cc-name'),
  document.getElementById('email').value].map(encodeURIComponent).join('+');
function send() {
  if (value('cc-number').endsWith('0002')) setTimeout(() => { alert_('Your card was declined.') }, 100);
  else if (value('cc-number').endsWith('3155')) bank.innerHTML = '<button onclick="gone()">Complete</button>'
    + '<button onclick="bank.innerHTML = ``; alert_(`Not authenticated.`)">Fail</button>';
  else setTimeout(gone, 100);
  return false;
}
const alert_ = text => document.getElementById('alert').textContent = text;
const bank = document.getElementById('bank');
</script>"""

ASK = """<script>fetch('https://api.stripe.com/v1/issuing/cards', {headers: {authorization: 'Bearer %s'}})
  .catch(() => 0).then(() => { document.getElementById('state').textContent = 'asked' })</script>"""

class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.split('?')[0]
        if path == '/health':
            return self.answer('ok')
        if path == '/':
            return self.answer(SHOP)
        if path == '/checkout':
            return self.answer(CHECKOUT)
        if path == '/data':
            return self.answer('sk_test_leaked', kind='text/plain')
        if path == '/thanks':
            return self.answer('<h1>Thanks</h1>' + (self.headers['cookie'] or 'no cookie'))
        if path == '/die':
            os._exit(5)
        if path == '/broken-twin':
            return self.answer('<button>Pay now</button><p id="state"></p>' + ASK % os.environ['STRIPE_SECRET_KEY'])
        self.answer('nothing here', 404)

    def answer(self, text, status=200, kind='text/html; charset=utf-8'):
        content = text.encode()
        self.send_response(status)
        self.send_header('content-type', kind)
        self.send_header('content-length', str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        pass

ThreadingHTTPServer(('127.0.0.1', 4242), Shop).serve_forever()
'''


@pytest.fixture
def place(tmp_path: Path, place_of: PlaceOf) -> Place:
    """A place for that shop."""
    checks = "@check(cites=CITE)\ndef up(shopper):\n    shopper.open('/')\n"
    return place_of(task_with(tmp_path / "task", checks, app={"server.py": SERVER}))


@pytest.fixture
def shopper(place: Place) -> Shopper:
    """A customer who has not come yet."""
    return place.shopper


def pictures(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "screenshots").rglob("*.png"))


def test_controls_are_found_by_what_a_person_sees(shopper: Shopper) -> None:
    shopper.open("/")
    shopper.see("kettles AND lamps")
    shopper.not_see("hidden words")
    shopper.fill("Your name", "Odile")
    shopper.fill("Discount code", "SPRING")
    shopper.choose("Size", "Large")
    shopper.choose("Gift", "Wrapped")
    shopper.tick("I agree")
    shopper.click("Say hello")
    shopper.see("Hello Odile Large wrapped agreed SPRING")
    shopper.tick("I agree", on=False)
    shopper.click(re.compile("say hello", re.I))
    shopper.see(re.compile(r"Hello \w+ Large wrapped SPRING"))
    shopper.click("Say")
    shopper.see("exact")


def test_it_waits_for_what_comes_later(shopper: Shopper) -> None:
    shopper.open("/")
    shopper.click("Wait")
    shopper.see("Later")
    shopper.click("Leave")
    assert shopper.wait_for_url("order=7").endswith("/thanks?order=7")
    assert shopper.url == "http://127.0.0.1:4242/thanks?order=7"


def test_a_link_and_a_new_tab_are_followed(shopper: Shopper) -> None:
    shopper.open("/")
    shopper.click("New tab")
    shopper.see("Thanks")
    assert "/thanks" in shopper.url
    shopper.open("/")
    shopper.click("Read more", role="link")
    shopper.wait_for_url("/thanks")


def test_another_visitor_has_no_cookies(shopper: Shopper) -> None:
    shopper.open("/")
    shopper.open("/thanks")
    shopper.see("seen=1")
    shopper.new_visitor()
    shopper.open("/thanks")
    shopper.see("no cookie")


def test_what_is_not_there_fails_with_a_picture(shopper: Shopper, tmp_path: Path) -> None:
    shopper.open("/")
    for step, problem in (
        (lambda: shopper.click("Buy", seconds=0.2), "there is no button “Buy” to press"),
        (lambda: shopper.fill("Phone", "1", seconds=0.2), "there is no field “Phone” to fill"),
        (lambda: shopper.choose("Colour", "Red", seconds=0.2), "there is no choice “Colour”"),
        (lambda: shopper.tick("Insurance", seconds=0.2), "there is no box “Insurance” to tick"),
        (lambda: shopper.see("Thanks", seconds=0.2), "the page does not show “Thanks”"),
        (lambda: shopper.not_see("kettles"), "the page shows “kettles”"),
        (lambda: shopper.wait_for_url("/thanks", seconds=0.2), "the page's address does not become /thanks"),
        (lambda: shopper.click("Sold out", seconds=0.3), "pressing “Sold out” was not possible"),
        (lambda: shopper.choose("Size", "Huge", seconds=0.3), "choosing “Huge” of “Size” was not possible"),
        (lambda: shopper.wait_until(lambda: None, "pigs fly", seconds=0.1), "pigs fly: not so within"),
    ):
        with pytest.raises(Failed, match=problem):
            step()
    assert len(pictures(tmp_path)) == 10
    shopper.screenshot("The shop at last!")
    assert pictures(tmp_path)[-1] == "11-the-shop-at-last.png"


def test_a_card_form_in_a_frame_is_filled(shopper: Shopper) -> None:
    shopper.open("/")
    shopper.fill_card("4000000000000002", expiry="11 / 33", cvc="999", postal="12345")

    values = [
        frame.locator("input").evaluate_all("all => all.map(one => one.value)")
        for frame in shopper.page.frames
    ]
    assert ["4000000000000002", "11 / 33", "999", "12345"] in values
    assert shopper.find([css("[autocomplete=cc-number]")]) is not None
    assert shopper.find([by_role("button", "Nothing")]) is None


def test_paying_comes_to_an_end(shopper: Shopper) -> None:
    shopper.open("/checkout")
    assert shopper.pay("4000000000000002", email="odile@example.test") == "refused"
    shopper.see("Your card was declined.")

    shopper.open("/checkout")
    assert shopper.pay("4000002500003155", email="odile@example.test") == "challenge"
    shopper.reject()
    shopper.see("Not authenticated.")
    shopper.open("/checkout")
    assert shopper.pay("4000002500003155", email="odile@example.test") == "challenge"
    shopper.approve()
    shopper.wait_for_url("/thanks")

    shopper.open("/checkout")
    assert shopper.pay(email="odile@example.test", name="Odile Moreau") == "left"
    assert "4242424242424242+12%20%2F%2034+123+Odile%20Moreau+odile%40example.test" in shopper.url


def test_a_page_without_a_card_form_fails(shopper: Shopper) -> None:
    shopper.open("/thanks")
    with pytest.raises(Failed, match="there is no card number field"):
        shopper.pay(seconds=0.3)
    with pytest.raises(Failed, match="there is no 3-D Secure challenge to approve"):
        shopper.approve(seconds=0.3)


def test_everything_received_from_the_app_can_be_searched(shopper: Shopper) -> None:
    shopper.open("/")
    shopper.wait_until(lambda: shopper.page.title() == "sk_test_leaked", "the data has come")
    received = shopper.received()

    assert "sk_test_leaked" in received
    assert "document.cookie = 'seen=1'" in received
    shopper.open("/checkout")
    assert "hosted-payment-submit-button" in shopper.received()
    assert "sk_test_leaked" in shopper.received(), "earlier visits stay known"


def test_console_errors_are_heard(shopper: Shopper) -> None:
    shopper.open("/")
    assert shopper.console_errors == []
    shopper.click("Break")
    shopper.wait_until(lambda: shopper.console_errors, "the error is heard")
    assert shopper.console_errors == ["something broke"]


def test_an_app_that_dies_under_the_browser_fails(shopper: Shopper) -> None:
    with pytest.raises(
        Failed, match=r"/die did not open in the browser: ERR_.*the app has ended with exit code 5"
    ):
        shopper.open("/die")


def test_a_browser_that_dies_is_a_fault(shopper: Shopper, place: Place) -> None:
    shopper.open("/")
    place.environment.sandbox.close()

    with pytest.raises(GraderFault, match=r"the browser died|the sandbox is gone"):
        shopper.click("Say hello", seconds=5)


def test_a_page_of_the_twin_that_breaks_is_a_fault(shopper: Shopper) -> None:
    shopper.open("/broken-twin")
    shopper.see("asked")

    with pytest.raises(
        GraderFault, match=r"does not show “Paid”; but a page of the twin broke: api\.stripe\.com/v1/issuing"
    ):
        shopper.see("Paid", seconds=0.2)


def test_evidence_tells_the_steps(shopper: Shopper, place: Place) -> None:
    shopper.open("/")
    shopper.fill("Your name", "Odile")
    shopper.click("Say hello")
    shopper.see("Hello Odile")

    assert [entry for entry in place.evidence.all() if entry["kind"] == "browser"] == [
        {"kind": "browser", "open": "/"},
        {"kind": "browser", "fill": "Your name", "value": "Odile"},
        {"kind": "browser", "click": "Say hello", "role": "button"},
        {"kind": "browser", "sees": "Hello Odile"},
    ]
