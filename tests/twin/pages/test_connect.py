"""Connect.js on a plain page: what each component shows, does and refuses.

Source: https://docs.stripe.com/connect/supported-embedded-components
"""

from __future__ import annotations

import io

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.twin.pages.connect import ALL, acting, ask, embed, evidence, layer, over, pay, seller, session
from tests.twin.pages.site import Site

pytestmark = pytest.mark.browser


def test_payments_by_page_tab_and_status(site: Site, page: Page) -> None:
    account = seller(site)
    for number in range(11):
        pay(site, account, 1000 + number)
    pay(site, account, 7700, "pm_card_createDispute")
    embed(site, page, "put(connect.create('payments'));", [session(site, account)])
    frame = layer(page, "payments")
    rows = frame.get_by_role("row")
    expect(rows).to_have_count(11)
    expect(rows.first).to_have_text("DateStatusFromAmount")
    expect(rows.nth(1)).to_contain_text("Disputed")
    expect(rows.nth(1)).to_contain_text("$77.00")
    expect(rows.nth(2)).to_contain_text("Succeeded")
    frame.get_by_role("button", name="Next").click()
    expect(rows).to_have_count(3)
    expect(frame.get_by_role("button", name="Next")).to_be_disabled()
    frame.get_by_role("button", name="Previous").click()
    expect(rows).to_have_count(11)
    frame.get_by_label("Status").select_option("disputed")
    expect(rows).to_have_count(2)
    frame.get_by_role("tab", name="Disputes").click()
    expect(rows.first).to_contain_text("Reason")
    expect(rows).to_have_count(2)


def test_a_refund_from_the_list(site: Site, page: Page) -> None:
    account = seller(site)
    intent = pay(site, account, 4200)
    embed(site, page, "put(connect.create('payments'));", [session(site, account)])
    frame, sheet = layer(page, "payments"), over(page, "payments")
    frame.get_by_role("row").nth(1).click()
    sheet.get_by_role("button", name="Refund").click()
    sheet.get_by_label("Amount (USD)").fill("99")
    sheet.get_by_role("button", name="Refund").click()
    page.expected_errors.append("400")  # type: ignore[attr-defined]
    expect(sheet.get_by_role("alert")).to_contain_text("greater than")
    sheet.get_by_label("Amount (USD)").fill("10.50")
    sheet.get_by_role("button", name="Refund").click()
    expect(sheet.locator(".status")).to_have_text("Partial refund")
    expect(frame.get_by_role("row").nth(1)).to_contain_text("Partial refund")
    sheet.get_by_role("button", name="Close").click()
    expect(page.locator('[data-testid^="stripe-connect-accessory"]')).to_have_count(0)
    charge = site.client.v1.charges.retrieve(str(intent.latest_charge), {}, acting(site, account))  # type: ignore[arg-type]
    assert charge.amount_refunded == 1050
    refund = next(e for e in site.twin.journal.entries if e["kind"] == "page" and e["event"] == "refund")
    assert (refund["session"], refund["embedder"]) == (account.id, site.shop.url)


def test_no_refund_without_the_feature(site: Site, page: Page) -> None:
    account = seller(site)
    intent = pay(site, account)
    without = {"payments": {"enabled": True, "features": {"refund_management": False}}}
    embed(site, page, "put(connect.create('payments'));", [session(site, account, without)])
    layer(page, "payments").get_by_role("row").nth(1).click()
    sheet = over(page, "payments")
    expect(sheet.get_by_role("heading", name="$15.00")).to_be_visible()
    expect(sheet.get_by_role("button", name="Refund")).to_have_count(0)
    token = ask(site, "POST", "/v1/account_sessions/claim", client_secret=session(site, account, without))[1]
    asked = {"session": token["token"], "component": "payments"}
    status, answer = ask(site, "POST", f"/v1/embedded/payments/{intent.id}/refund", **asked)
    assert (status, answer["error"]["code"]) == (403, "feature_not_enabled")
    status, answer = ask(site, "GET", "/v1/embedded/balance", **asked | {"component": "payouts"})
    assert (status, answer["error"]["code"]) == (403, "component_not_enabled")


def test_a_dispute_is_countered_and_won(site: Site, page: Page) -> None:
    account = seller(site)
    pay(site, account, 5000, "pm_card_createDispute")
    embed(site, page, "put(connect.create('disputes-list'));", [session(site, account)])
    layer(page, "disputes-list").get_by_role("row").nth(1).click()
    sheet = over(page, "disputes-list")
    sheet.get_by_role("button", name="Counter dispute").click()
    sheet.get_by_label("Customer name").fill("Ada Field")
    sheet.get_by_label("Why the payment is right").fill("winning_evidence")
    sheet.get_by_role("button", name="Submit evidence").click()
    expect(sheet.get_by_role("region", name="Dispute")).to_contain_text("Won")
    dispute = site.client.v1.disputes.list({}, acting(site, account)).data[0]  # type: ignore[arg-type]
    assert dispute.status == "won"
    assert evidence(dispute)["customer_name"] == "Ada Field"


def test_a_held_payment_is_captured_by_its_details(site: Site, page: Page) -> None:
    account = seller(site)
    intent = pay(site, account, 3000, capture_method="manual")
    script = f"""
    const one = connect.create('payment-details'); one.setPayment({intent.id!r}); let closed = 0;
    one.setOnClose(() => {{ document.body.dataset.closed = String(closed += 1); }}); put(one);
    """
    embed(site, page, script, [session(site, account)])
    sheet = over(page, "payment-details")
    sheet.get_by_role("button", name="Capture").click()
    sheet.get_by_role("button", name="Capture").click()
    expect(sheet.locator(".status")).to_have_text("Succeeded")
    page.keyboard.press("Escape")
    expect(page.locator("body")).to_have_attribute("data-closed", "1")
    found = site.client.v1.payment_intents.retrieve(intent.id, {}, acting(site, account))  # type: ignore[arg-type]
    assert found.status == "succeeded"


def test_payouts_by_hand_and_their_schedule(site: Site, page: Page) -> None:
    account = seller(site)
    pay(site, account, 9000, "pm_card_bypassPending")
    features = {"standard_payouts": True, "edit_payout_schedule": True, "instant_payouts": False}
    secret = session(site, account, {"payouts": {"enabled": True, "features": features}})
    embed(site, page, "put(connect.create('payouts'));", [secret])
    frame, sheet = layer(page, "payouts"), over(page, "payouts")
    frame.get_by_role("button", name="Pay out").click()
    sheet.get_by_label("Amount (USD)").fill("20")
    sheet.get_by_role("button", name="Pay out").click()
    expect(frame.get_by_role("row").nth(1)).to_contain_text("$20.00")
    expect(frame.get_by_role("button", name="Pay out instantly")).to_have_count(0)
    frame.get_by_role("button", name="Edit payout schedule").click()
    sheet.get_by_label("How often").select_option("weekly")
    sheet.get_by_label("Day of the week").select_option("friday")
    sheet.get_by_role("button", name="Save").click()
    expect(frame.get_by_text("Paid out every week on Friday")).to_be_visible()
    assert [p.amount for p in site.client.v1.payouts.list({}, acting(site, account)).data] == [2000]  # type: ignore[arg-type]


def test_onboarding_step_by_step(site: Site, page: Page) -> None:
    account = site.client.v1.accounts.create(
        {"type": "express", "country": "US", "capabilities": {"transfers": {"requested": True}}}
    )
    script = """
    const steps = []; let left = 0; const element = connect.create('account-onboarding');
    element.setOnStepChange(({step}) => steps.push(step)); element.setOnExit(() => { left += 1; });
    element.setPrivacyPolicyUrl('https://example.test/privacy'); put(element);
    """
    embed(site, page, script, [session(site, account)])
    frame = layer(page, "account-onboarding")
    frame.get_by_role("button", name="Add information").click()
    frame.get_by_label("I sell as").select_option("individual")
    frame.get_by_role("button", name="Continue").click()
    frame.get_by_label("Name of the business").fill("Ada's Seeds")
    frame.get_by_role("button", name="Continue").click()
    frame.get_by_label("First name").fill("Ada")
    frame.get_by_role("button", name="Continue").click()
    frame.get_by_label("Bank account number").fill("000123456789")
    frame.get_by_role("button", name="Continue").click()
    expect(frame.get_by_role("link", name="privacy policy")).to_be_visible()
    frame.get_by_role("button", name="Agree and submit").click()
    expect(frame.get_by_role("heading", name="You are set up")).to_be_visible()
    steps = [
        "business_type",
        "business_details",
        "representative_details",
        "external_account",
        "summary",
    ]
    assert page.evaluate("[steps, left]") == [steps, 1]
    site.twin.run_due()
    found = site.client.v1.accounts.retrieve(account.id)
    assert found.details_submitted and found.payouts_enabled


def test_the_banner_tells_and_management_changes(site: Site, page: Page) -> None:
    account = site.client.v1.accounts.create(
        {"type": "express", "country": "US", "capabilities": {"transfers": {"requested": True}}}
    )
    script = """
    const told = []; const banner = connect.create('notification-banner');
    banner.setOnNotificationsChange((count) => told.push(count)); put(banner); put(connect.create('account-management'));
    """
    embed(site, page, script, [session(site, account)])
    expect(layer(page, "notification-banner").get_by_role("button", name="Add information")).to_be_visible()
    assert page.evaluate("told[0]") == {"total": 1, "actionRequired": 1}
    frame = layer(page, "account-management")
    frame.get_by_role("button", name="Edit business details").click()
    frame.get_by_label("Support email").fill("help@seeds.example")
    frame.get_by_role("button", name="Save").click()
    expect(frame.get_by_text("help@seeds.example")).to_be_visible()
    frame.get_by_role("button", name="Change bank account").click()
    frame.get_by_label("Routing number").fill("110000000")
    frame.get_by_label("Account number").fill("000123456789")
    frame.get_by_role("button", name="Save").click()
    expect(frame.get_by_text("•••• 6789")).to_be_visible()
    profile = site.client.v1.accounts.retrieve(account.id).business_profile
    assert profile is not None and profile.support_email == "help@seeds.example"


def test_a_document_has_a_link(site: Site, page: Page) -> None:
    account = seller(site)
    content = io.BytesIO(b"%PDF-1.4")
    content.name = "form.pdf"
    upload = {"purpose": "tax_document_user_upload", "file": content}
    site.client.v1.files.create(upload, acting(site, account))  # type: ignore[arg-type]
    embed(site, page, "put(connect.create('documents'));", [session(site, account)])
    with page.context.expect_page():
        layer(page, "documents").get_by_role("button", name="form.pdf").click()
    link = site.client.v1.file_links.list({}, acting(site, account)).data[0]  # type: ignore[arg-type]
    assert httpx.get(str(link.url), trust_env=False).content == b"%PDF-1.4"


def test_appearance_and_locale_can_change(site: Site, page: Page) -> None:
    account = seller(site)
    pay(site, account, 123456)
    embed(site, page, "put(connect.create('payments'));", [session(site, account)])
    frame = layer(page, "payments")
    expect(frame.get_by_role("cell", name="$1,234.56")).to_be_visible()
    page.evaluate(
        "connect.update({locale: 'de-DE', appearance: {variables: {badgeSuccessColorText: '#112233'}}})"
    )
    expect(frame.get_by_role("cell", name="1.234,56")).to_be_visible()
    expect(frame.locator(".badge")).to_have_css("color", "rgb(17, 34, 51)")
    page.evaluate("connect.update({appearance: {variables: {colorText: '#445566'}}})")
    expect(frame.locator(".component")).to_have_css("color", "rgb(68, 85, 102)")
    expect(frame.locator(".badge")).to_have_css("color", "rgb(17, 34, 51)")


def test_logging_out_closes_the_session(site: Site, page: Page) -> None:
    account = seller(site)
    pay(site, account)
    embed(site, page, "put(connect.create('payments'));", [session(site, account)])
    expect(layer(page, "payments").get_by_role("row")).to_have_count(2)
    page.evaluate("connect.logout()")
    expect(page.locator("iframe[data-testid]")).to_have_count(0)
    claimed = next(e for e in site.requests("/v1/embedded/payments"))
    token = claimed["params"]["session"]
    status, answer = ask(site, "GET", "/v1/embedded/payments", session=token, component="payments")
    assert (status, answer["error"]["code"]) == (400, "account_session_closed")


def test_an_expired_session_is_renewed_by_the_page(site: Site, page: Page) -> None:
    account = seller(site)
    pay(site, account)
    page.expected_errors.append("400")  # type: ignore[attr-defined]
    embed(site, page, "put(connect.create('payments'));", [session(site, account)])
    frame = layer(page, "payments")
    expect(frame.get_by_role("row")).to_have_count(2)
    site.twin.advance(site.twin.now() + 3601)
    fresh = session(site, account)
    page.evaluate("(secret) => secrets.push(secret)", fresh)
    frame.get_by_role("tab", name="Disputes").click()
    expect(frame.get_by_text("No disputes.")).to_be_visible()
    assert page.evaluate("asked") == 2


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        ("async () => { throw new Error('no'); }", "account_session_create_error"),
        ("async () => undefined", "account_session_create_error"),
        ("async () => 'accs_secret__nobody'", "invalid_request_error"),
    ],
)
def test_load_errors_are_told(site: Site, page: Page, script: str, kind: str) -> None:
    page.expected_errors.append("400")  # type: ignore[attr-defined]
    body = f"""
    const told = []; const connect = StripeConnect.init({{publishableKey: {site.twin.publishable_key!r},
      fetchClientSecret: {script}}});
    const one = connect.create('payments'); one.setOnLoadError((problem) => told.push(problem)); document.body.append(one);
    """
    page.goto(site.shop.page("/fail", "", body, head=f'<script src="{site.url}/v1.0/connect.js"></script>'))
    page.wait_for_function("told.length === 1")
    told = page.evaluate("told[0]")
    assert (told["elementTagName"], told["error"]["type"]) == ("payments", kind)
    expect(layer(page, "payments").get_by_role("alert")).to_be_visible()


def test_a_component_that_was_not_enabled_says_so(site: Site, page: Page) -> None:
    account = seller(site)
    page.expected_errors.append("403")  # type: ignore[attr-defined]
    script = """
    const told = []; const one = connect.create('payouts'); one.setOnLoadError(({error}) => told.push(error)); put(one);
    const two = connect.create('tax-settings'); two.setOnLoadError(({error}) => told.push(error)); put(two);
    """
    embed(site, page, script, [session(site, account, {"payments": {"enabled": True}})])
    page.wait_for_function("told.length === 2")
    messages = sorted(error["message"] for error in page.evaluate("told"))
    assert messages[0].startswith("The component 'payouts' is not enabled")
    assert messages[1].startswith('The twin has not built the component "tax-settings"')


def test_wrong_keys_are_refused_loudly(site: Site, page: Page) -> None:
    page.goto(site.shop.page("/key", "", "", head=f'<script src="{site.url}/v1.0/connect.js"></script>'))
    made = """(key) => {
      try { StripeConnect.init({publishableKey: key, fetchClientSecret: async () => ''}); return 'made'; }
      catch (problem) { return problem.name + problem.message; } }"""
    assert page.evaluate(made, "sk_test_123").startswith("IntegrationErrorYou should not use your secret key")
    assert page.evaluate(made, "").startswith("IntegrationErrorStripeConnect.init needs a publishableKey")


def test_a_client_secret_is_claimed_once(site: Site) -> None:
    secret = session(site, seller(site))
    assert ask(site, "POST", "/v1/account_sessions/claim", client_secret=secret)[0] == 200
    status, answer = ask(site, "POST", "/v1/account_sessions/claim", client_secret=secret)
    assert (status, answer["error"]["code"]) == (400, "account_session_already_claimed")


def test_a_session_sees_its_own_account_only(site: Site) -> None:
    mine, other = seller(site), seller(site)
    theirs = pay(site, other)
    token = ask(site, "POST", "/v1/account_sessions/claim", client_secret=session(site, mine))[1]["token"]
    asked = {"session": token, "component": "payments"}
    assert ask(site, "GET", "/v1/embedded/payments", **asked)[1]["data"] == []
    for method, tail in (("GET", ""), ("POST", "/refund")):
        assert ask(site, method, f"/v1/embedded/payments/{theirs.id}{tail}", **asked)[0] in (400, 404)


def test_destination_charges_are_the_platforms(site: Site) -> None:
    account = seller(site)
    given = {
        "amount": 5000,
        "automatic_payment_methods": {"enabled": True, "allow_redirects": "never"},
        "confirm": True,
        "currency": "usd",
        "payment_method": "pm_card_visa",
        "transfer_data": {"destination": account.id},
    }
    site.client.v1.payment_intents.create(given)  # type: ignore[arg-type]
    theirs = site.client.v1.payment_intents.create(given | {"on_behalf_of": account.id})  # type: ignore[arg-type]
    features = {"destination_on_behalf_of_charge_management": True}
    secret = session(site, account, ALL | {"payments": {"enabled": True, "features": features}})
    token = ask(site, "POST", "/v1/account_sessions/claim", client_secret=secret)[1]["token"]
    asked = {"session": token, "component": "payments"}
    rows = ask(site, "GET", "/v1/embedded/payments", **asked)[1]["data"]
    assert [row["amount"] for row in rows] == [5000, 5000]
    on_behalf, plain = (f"/v1/embedded/payments/{row['id']}/refund" for row in rows)
    assert ask(site, "POST", plain, **asked)[0] == 403
    assert ask(site, "POST", on_behalf, amount=1000, **asked)[0] == 200
    charge = site.client.v1.charges.retrieve(str(theirs.latest_charge))
    assert charge.amount_refunded == 1000
