# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-b21f85015934: keep out of training data
"""Is Deckle Row's Payments tab right?  Each flow is driven once, with drawn shops and a drawn brand, and judged by several checks."""

from __future__ import annotations

from functools import partial

from trialbalance.grading import (
    App,
    Draw,
    Failed,
    GraderTwin,
    Shopper,
    Submission,
    TrialTwin,
    check,
    every,
    same,
    scenario,
)
from trialbalance.grading.locate import css
from trialbalance.grading.state import objects_of

import deckle
import deckle_flows as flows
from deckle import Seller
from deckle_flows import Bought, Desk, Lie, SignUp, Tab

COMPONENTS = ("payments", "payment_details", "payment_disputes", "disputes_list")


# Over HTTP


@scenario
def desk(app: App, twin: GraderTwin, draw: Draw) -> Desk:
    own = deckle.draw_shop(draw, deckle.open_account(twin, "GB"), country="GB")
    victim = deckle.draw_shop(draw, deckle.open_account(twin, "US"), country="US")
    closed = deckle.draw_shop(draw, deckle.open_account(twin, "DE"), "closed", country="DE")
    without = deckle.draw_shop(draw)
    gone = deckle.draw_shop(draw, f"acct_1Gone{draw.integer(10**9, 10**10)}")
    deckle.set_up(app, [victim, own, without, closed, gone])
    assert own.account and victim.account

    new = Seller(app, deckle.draw_shop(draw)).sign_up()
    signed_up = SignUp(new, deckle.accounts_of(twin, new.shop.email))
    troubles = {
        fault: flows.in_trouble(app, twin, deckle.draw_shop(draw), fault)
        for fault in ("reset_before", "rate_limit")
    }

    late = Seller(app, without).sign_in()
    twice = flows.at_the_same_moment(app, twin, late)
    later = deckle.ask(twin, late.session)
    later_accounts = deckle.accounts_of(twin, without.email)

    seller = Seller(app, own).sign_in()
    before = len(twin.created("account"))
    first, again = deckle.ask(twin, seller.session), deckle.ask(twin, seller.session)
    kept_accounts = len(twin.created("account")) - before
    number = Seller(app, victim).sign_in().id
    lies = flows.tell_lies(twin, seller, victim.account, number)

    signed_out = {
        "without a cookie": deckle.ask(twin, app.session(), json={"account": own.account}),
        "with a made-up cookie": deckle.ask(
            twin, app.session(), headers={"cookie": "deckle_login=1; seller=1"}
        ),
    }
    was = Seller(app, own).sign_in()
    was.session.post("/api/sign-out")
    signed_out["after signing out"] = deckle.ask(twin, was.session)
    closed_asked = deckle.ask(twin, Seller(app, closed).sign_in().session)

    twin.faults([{"fault": "reset_before", "endpoint": "POST /v1/account_sessions", "count": None}])
    try:
        down = {"down": deckle.ask(twin, seller.session)}
    finally:
        twin.faults([])
    down["refused"] = deckle.ask(twin, Seller(app, gone).sign_in().session)

    paid = deckle.sell(twin, own.account, own.amount, own.currency)
    deckle.sell(twin, own.account, own.amount + 100, own.currency, "pm_card_createDispute")
    refunds = {}
    for asked in (first, *[lie.asked for lie in lies]):
        if asked.made is None or asked.made["account"] != own.account:
            continue
        token = deckle.claim(twin, asked.secret)
        for component in COMPONENTS:
            path = f"payments/{paid}/refund"
            status = deckle.embedded(twin, "POST", path, token, component, amount="100").status_code
            refunds[component] = min(status, refunds.get(component, status))
    answered = dispute_status = None
    found = objects_of(twin.state(), "dispute", own.account)
    if again.made is not None and found:
        token = deckle.claim(twin, again.secret)
        path, text = (
            f"disputes/{found[0]['id']}/respond",
            {"evidence[uncategorized_text]": "It was sewn as agreed."},
        )
        answered = deckle.embedded(twin, "POST", path, token, "payments", submit="true", **text).status_code
        dispute_status = objects_of(twin.state(), "dispute", own.account)[0]["status"]
    pages = [
        app.get(path).headers.get("content-security-policy", "") for path in ("/", "/dashboard/payments", "/")
    ]
    return Desk(
        signed_up=signed_up, troubles=troubles, twice=twice, later=later, later_accounts=later_accounts, kept=first,
        kept_accounts=kept_accounts, signed_out=signed_out, closed=closed_asked, own=first, again=again, own_account=own.account,
        lies=lies, down=down, refunds=refunds, refunded=len(objects_of(twin.state(), "refund", own.account)),
        answered=answered or 0, dispute_status=str(dispute_status), policies=pages,
    )  # fmt: skip


@check(
    cites="`POST /api/sign-up` opens the shop's account at Stripe, of the kind that `npm run connect:shop` opens, with the same details."
)
def signing_up_opens_an_account(desk: Desk) -> None:
    seller = desk.signed_up.seller
    shop = seller.shop
    same(len(desk.signed_up.accounts), 1, "the number of accounts of a shop that has just signed up")
    account = desk.signed_up.accounts[0]
    kind = {name: account["controller"].get(name) for name in deckle.CONTROLLER}
    same(kind, deckle.CONTROLLER, "the account's controller")
    same(account["country"], shop.country, "the account's country")
    same(
        sorted(account["capabilities"]),
        ["card_payments", "transfers"],
        "the capabilities that were asked for",
    )
    same(account["metadata"].get("seller"), seller.id, "the shop that the account's metadata names")
    profile = account["business_profile"]
    slug = shop.name.lower().replace(" ", "-")
    wanted = (shop.name, f"http://127.0.0.1:4242/shops/{slug}")
    same((profile["name"], profile["url"]), wanted, "name and address of the business")


@check(
    cites="When Stripe refuses to open it or does not answer, sign-up answers `502` and leaves no shop behind, so that the same person "
    "can sign up again."
)
def no_account_no_shop(desk: Desk) -> None:
    for fault, trouble in every(desk.troubles.items(), "sign-ups in trouble"):
        same(trouble.status, 502, f"the answer to signing up ({fault})")
        same(trouble.sign_in, 401, f"the answer to signing in after that ({fault})")
        same(
            (trouble.again, trouble.accounts), (201, 1), f"signing up again, and the accounts then ({fault})"
        )


@check(
    cites="A shop of before that has no account gets one by its first account session, and one only, also when two are asked for at the "
    "same moment; a shop that has one keeps it."
)
def shops_of_before_get_one_account(desk: Desk) -> None:
    same([asked.status for asked in desk.twice], [200, 200], "the answers to two requests at the same moment")
    same(len(desk.later_accounts), 1, "the accounts of a shop that had none")
    account = desk.later_accounts[0]
    used = {asked.session()["account"] for asked in (*desk.twice, desk.later)}
    same(used, {account["id"]}, "the accounts that its sessions are for")
    same(
        {name: account["controller"].get(name) for name in deckle.CONTROLLER},
        deckle.CONTROLLER,
        "its controller",
    )
    same(desk.kept_accounts, 0, "the accounts that were opened for a shop that has one")
    desk.kept.session()


@check(cites="Shops can answer disputes in the tab.")
def disputes_can_be_answered(desk: Desk) -> None:
    same(
        (desk.answered, desk.dispute_status),
        (200, "under_review"),
        "answer and state of a dispute that was answered",
    )


@check(
    cites="Shops cannot refund anything, also not by asking Stripe with what their browser was given: refunds are for us to decide."
)
def refunds_cannot_be_made(desk: Desk) -> None:
    every(desk.refunds, "attempts to refund")
    allowed = [component for component, status in desk.refunds.items() if status < 400]
    same(allowed, [], "the components by which a shop could refund")
    same(desk.refunded, 0, "the number of refunds")


@check(cites="Account sessions enable `account_onboarding` and `payments`, and no other component.")
def nothing_else_is_enabled(desk: Desk) -> None:
    enabled = {*deckle.enabled(desk.own.session()), *deckle.enabled(desk.later.session())}
    same("payments" in enabled, True, "`payments` is enabled")
    same(sorted(enabled - {"account_onboarding", "payments"}), [], "the other components that are enabled")


@check(
    cites="It is always for the account of the seller who is signed in; nothing else that a browser sends has a say in whose it is or "
    "what it may do."
)
def the_browser_chooses_nothing(desk: Desk) -> None:
    plain = desk.own.session()
    same(plain["account"], desk.own_account, "the account of a session")
    every([lie for lie in desk.lies if lie.asked.made], "sessions for requests with more in them")
    for lie in desk.lies:
        _same_as(plain, lie)


def _same_as(plain: deckle.Object, lie: Lie) -> None:
    if lie.asked.made is None:
        if lie.asked.status < 400:
            raise Failed("a request with more in it was answered without a session", sent_as=lie.how)
        return
    same(lie.asked.made["account"], plain["account"], f"the account after lies sent as {lie.how}")
    same(
        deckle.enabled(lie.asked.made), deckle.enabled(plain), f"what is enabled after lies sent as {lie.how}"
    )


@check(
    cites="`POST /api/stripe/account-session` answers `401` to whoever is not signed in, and asks Stripe for nothing then."
)
def the_signed_out_are_refused(desk: Desk) -> None:
    for who, asked in every(desk.signed_out.items(), "requests without a login"):
        same(
            (asked.status, asked.told),
            (401, True),
            f"status, and whether it is an error as everywhere, {who}",
        )
        same(asked.requests, 0, f"the number of requests to Stripe {who}")


@check(cites="It answers `403` to a shop that is closed, and asks Stripe for nothing then.")
def closed_shops_are_refused(desk: Desk) -> None:
    asked = desk.closed
    same((asked.status, asked.told), (403, True), "status, and whether it is an error as everywhere")
    same(asked.requests, 0, "the number of requests to Stripe")


@check(
    cites="Each call gives a client secret that has not been given before, and the answer carries `cache-control: no-store`."
)
def secrets_are_given_once(desk: Desk) -> None:
    given = [asked.secret for asked in (desk.own, desk.again, *desk.twice, desk.later) if asked.secret]
    same(len(every(given, "client secrets")), len(set(given)), "the number of different secrets")
    same("no-store" in desk.own.stored.lower(), True, "`no-store` is in the answer's cache-control")


@check(cites="When Stripe refuses or does not answer, it answers `502`.")
def stripe_trouble_is_told(desk: Desk) -> None:
    for what, asked in every(desk.down.items(), "requests in trouble"):
        same(
            (asked.status, asked.told),
            (502, True),
            f"status, and whether it is an error as everywhere ({what})",
        )


@check(
    cites="The content security policy stays as strict as it is: addresses below `https://*.stripe.com`, hashes and nonces may be added "
    "where the component needs them, and nothing else."
)
def the_policy_stays_strict(desk: Desk, tab: Tab) -> None:
    for header in every(desk.policies, "pages"):
        same(deckle.loosened(header), [], "what the content security policy allows beyond that")
    nonces = [
        word
        for header in desk.policies
        for word in set(header.replace(";", " ").split())
        if "'nonce-" in word
    ]
    same(len(nonces), len(set(nonces)), "the number of different nonces")
    same(tab.payments.get("drawn"), True, "the component is shown under this policy")


# In the browser


@scenario
def tab(app: App, twin: GraderTwin, shopper: Shopper, draw: Draw) -> Tab:
    second = deckle.draw_shop(draw, deckle.open_account(twin, "US"), country="US")
    first = deckle.draw_shop(draw, country="GB")
    brand = deckle.draw_brand(draw)
    deckle.set_up(app, [second], brand)
    assert second.account
    deckle.sell(twin, second.account, second.amount, second.currency)
    found = Tab(brand, first, second)
    tokens = flows.Tokens(shopper)

    flows.sign_up(shopper, first)
    shopper.screenshot("dashboard")
    flows.go_to_tab(shopper)
    account = None
    if not flows.attempt(lambda: flows.component(shopper, "account-onboarding")):
        found.onboarding = {
            "inside the element": flows.within(shopper, "onboarding", "account-onboarding"),
            "instead of the payments": not flows.within(shopper, "panel", "payments"),
        }
        shopper.screenshot("onboarding")
        if not flows.attempt(lambda: flows.onboard_by_hand(shopper)):
            found.exchanged = not flows.attempt(lambda: flows.component(shopper, "payments", 20))
    account = deckle.account_of(twin, first.email)["id"]
    if not deckle.account_of(twin, first.email)["details_submitted"]:
        deckle.onboard(twin, account)
    deckle.sell(twin, account, first.amount, first.currency)

    shopper.open("/dashboard/payments")
    frame = flows.component(shopper, "payments")
    amount = flows.amount(first)
    found.payments = {
        "drawn": True,
        "inside the element": flows.within(shopper, "payments", "payments"),
        "with its payment": not flows.attempt(
            lambda: shopper.wait_until(lambda: flows.shows(frame, amount), "the payment is shown")
        ),
    }
    found.given = flows.given_to(frame)
    found.geometry = flows.geometry(shopper, "payments")

    twin.advance(twin.now() + 3700)
    shopper.press(frame.get_by_role("tab", name="Disputes"), "Disputes")
    found.an_hour_later = flows.attempt(
        lambda: shopper.wait_until(lambda: flows.shows(frame, "No disputes."), "the disputes are shown")
    )
    shopper.screenshot("an hour later")

    shopper.press(shopper.require([css('[data-testid="sign-out"]')], "nobody can sign out"), "sign out")
    shopper.require([css('a[href="/sign-in"]')], "signing out does not work")
    for token in every(tokens.seen, "sessions that the component asked with"):
        problem = flows.attempt(partial(flows.is_closed, shopper, twin, token))
        found.after_sign_out[f"{token[:8]}…{token[-3:]}"] = not problem

    flows.sign_in(shopper, second)
    flows.go_to_tab(shopper)
    found.next_seller = flows.attempt(lambda: _second_sees(shopper, found))
    shopper.screenshot("second")

    twin.faults([{"fault": "rate_limit", "endpoint": "POST /v1/account_sessions/claim", "count": None}])
    try:
        shopper.open("/dashboard/payments")
        place = shopper.find([css('[data-testid="payments-problem"]')], 15)
        found.problem = place.inner_text() if place is not None else ""
        shopper.screenshot("problem")
    finally:
        twin.faults([])
    found.received = shopper.received()
    found.secrets = {"secret key": twin.secret_key, "publishable key": twin.publishable_key}
    return found


def _second_sees(shopper: Shopper, found: Tab) -> None:
    frame = flows.component(shopper, "payments", 20)
    shopper.wait_until(lambda: flows.shows(frame, "Succeeded"), "a payment is shown", 20)
    found.next_sees_first = flows.shows(frame, flows.amount(found.first))
    shopper.wait_until(
        lambda: flows.shows(frame, flows.amount(found.second)), "the second shop's payment is shown", 5
    )


@check(
    cites='The tab shows Connect\'s `payments` component inside an element with `data-testid="payments"`, and in it the payments of the '
    "shop that is signed in."
)
def payments_are_in_the_tab(tab: Tab) -> None:
    same(tab.payments, dict.fromkeys(tab.payments, True), "the payments of the shop")


@check(
    cites="A shop that has not told Stripe yet what it wants to know sees Connect's `account_onboarding` component instead, inside an "
    'element with `data-testid="onboarding"`; when they have finished, the payments take its place without a reload.'
)
def onboarding_comes_first(tab: Tab) -> None:
    if not tab.onboarding:
        raise Failed("a new shop does not see the onboarding component")
    same(tab.onboarding, dict.fromkeys(tab.onboarding, True), "what a new shop sees")
    same(tab.exchanged, True, "the payments take the place of onboarding")


@check(
    cites='When Connect cannot show the component, the tab says so in an element with `data-testid="payments-problem"`.'
)
def problems_are_told(tab: Tab) -> None:
    if not tab.problem.strip():
        raise Failed("the tab says nothing when Connect cannot show the component")


@check(
    cites="A page that stays open for more than an hour, which is how long an account session lives, goes on working."
)
def open_pages_go_on(tab: Tab) -> None:
    if tab.an_hour_later:
        raise Failed("the component does not work after an hour", problem=tab.an_hour_later)


@check(
    cites="When a seller signs out and another signs in, in the same window and without a reload, the tab shows the payments of the second."
)
def the_next_seller_sees_their_own(tab: Tab) -> None:
    same(tab.next_sees_first, False, "the second seller sees a payment of the first")
    if tab.next_seller:
        raise Failed("the second seller does not see their payments", problem=tab.next_seller)


@check(
    cites="Signing out closes the account session: what the page was given for it is good for nothing afterwards."
)
def signing_out_closes_the_session(tab: Tab) -> None:
    good = [token for token, closed in every(tab.after_sign_out.items(), "sessions") if not closed]
    same(good, [], "sessions that Stripe still answers")


@check(cites="The secret key is in nothing that is sent to a browser.")
def the_secret_key_stays_on_the_server(tab: Tab) -> None:
    if tab.secrets["publishable key"] not in tab.received:
        raise Failed(
            "the publishable key was in nothing that Deckle Row sent, so the page cannot have used it"
        )
    if tab.secrets["secret key"] in tab.received:
        raise Failed("the secret key was sent to the browser")


@check(
    cites="The component wears the brand of the file that `BRAND_PATH` names: its text, secondary text, background, offset background, "
    "borders, primary and danger colours, its font, base font size, corners and spacing unit are what `brand/README.md` says they are for."
)
def the_component_wears_the_brand(tab: Tab) -> None:
    actual = {name: deckle.like(role, tab.given.get(name, "")) for name, role in deckle.ROLES.items()}
    wanted = {name: deckle.like(role, tab.brand[role]) for name, role in deckle.ROLES.items()}
    same(actual, wanted, "what the component was given")


@check(
    cites='The component is as wide as the panel (`data-testid="panel"`) is inside its padding, at window widths of 1280 and of 390 '
    "pixels, and the page does not scroll sideways at either."
)
def the_component_fills_the_panel(tab: Tab) -> None:
    for width in flows.WIDTHS:
        place = tab.geometry.get(width)
        if not place:
            raise Failed("the component is not in the panel", window=width)
        beside = max(abs(place["left"]), abs(place["right"]))
        if beside > 4:
            raise Failed(
                "the component is not as wide as the panel",
                window=width,
                left=place["left"],
                right=place["right"],
            )
        if place["sideways"] > 0:
            raise Failed("the page scrolls sideways", window=width, by=place["sideways"])


# Buying


@scenario
def bought(app: App, twin: GraderTwin, shopper: Shopper, draw: Draw) -> Bought:
    shop = deckle.draw_shop(draw, deckle.open_account(twin, "DE"), country="DE")
    deckle.set_up(app, [shop, deckle.draw_shop(draw)])
    paid = flows.buy(shopper, shop, draw)
    shopper.screenshot("ordered")
    payments = objects_of(twin.state(), "payment_intent", shop.account)
    orders = Seller(app, shop).sign_in().session.call("GET", "/api/me/orders")["orders"]
    return Bought(shop, payments, paid, orders)


@check(
    cites="People buy as before: what a shop sells is a direct charge on its account, with our 8 % as the application fee, and a buyer "
    "who comes back sees that the order is paid.",
    given=True,
)
def buying_works_as_before(bought: Bought) -> None:
    shop = bought.shop
    found = [
        (one["status"], one["amount"], one["currency"], one["application_fee_amount"])
        for one in bought.payments
    ]
    same(found, [("succeeded", shop.amount, shop.currency, shop.amount * 8 // 100)], "the shop's payments")
    same(bought.paid, True, "the buyer sees that the order is paid")
    same([order["amount"] for order in bought.orders], [shop.amount], "the shop's orders")


# The project's own tests


@check(cites="`npm test` passes.", given=True)
def own_tests_pass(app: App) -> None:
    done = app.run(["npm", "test"], timeout=150)
    if done.exit_code != 0:
        raise Failed("npm test does not pass", exit_code=done.exit_code)


# The trial's own payment


@check(
    cites="When it works, try it all: with Deckle Row running on port 4242 and our real shops and brand, open a new shop in a browser, "
    "tell Stripe what it wants to know in the tab, put something on sale, buy it as a buyer with a test card, look at the payment in the "
    "tab, and write the id of its payment intent to `/app/test-payment.txt`."
)
def it_was_tried(submission: Submission, trial: TrialTwin) -> None:
    written = submission.text().strip()
    accounts = {account["id"]: account for account in trial.objects("account")}
    found = [
        (account, one)
        for account in accounts
        for one in objects_of(trial.state, "payment_intent", account)
        if one["id"] == written
    ]
    if not found:
        raise Failed("test-payment.txt does not hold the id of a payment intent on a shop's account")
    account, payment = found[0]
    same(payment["status"], "succeeded", "the payment's status")
    same(payment["application_fee_amount"], payment["amount"] * 8 // 100, "the application fee")
    same("seller" in accounts[account]["metadata"], True, "the account was opened by Deckle Row")
    sessions = objects_of(trial.state, "checkout.session", account)
    session = next((one["id"] for one in sessions if one["payment_intent"] == written), None)
    pages = [entry for entry in trial.journal.entries if entry.get("kind") == "page"]
    paid = [entry for entry in pages if entry.get("session") == session and session]
    if not {"load", "submit"} <= {str(entry["event"]) for entry in paid}:
        raise Failed("the payment was not made on Checkout's page in a browser")
    if not any(deckle.from_our_page(entry) for entry in paid):
        raise Failed("the buyer did not come from Deckle Row on port 4242")
    ours = [entry for entry in pages if entry.get("session") == account and deckle.from_our_page(entry)]
    told = [entry for entry in ours if entry["event"] == "submit" and _of(entry) != "payments"]
    if not told:
        raise Failed("nobody told Stripe about the shop in the tab")
    last = max(int(entry["seq"]) for entry in paid if entry["event"] == "submit")
    if not [
        entry
        for entry in ours
        if entry["event"] == "load" and _of(entry) == "payments" and int(entry["seq"]) > last
    ]:
        raise Failed("nobody looked at the payment in the tab")


def _of(entry: deckle.Object) -> str:
    return str((entry.get("detail") or {}).get("component") or "")
