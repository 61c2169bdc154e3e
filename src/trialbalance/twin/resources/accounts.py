"""Connected accounts: standard, express, custom, or by controller properties.

What an account has to tell, and when it may charge and be paid out, is worked out by `connect`. Accounts whose
details Stripe collects show less to their platform once an account link or session was made for them.
Source: https://docs.stripe.com/api/accounts
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trialbalance.contract import load
from trialbalance.twin import addresses, currencies
from trialbalance.twin.connect import countries, fields, standing, testing
from trialbalance.twin.errors import InvalidRequest, JsonObject, PermissionDenied
from trialbalance.twin.resources import account_state, capabilities, external_accounts, persons, tokens
from trialbalance.twin.wire.call import Call, endpoint, own_parameters

if TYPE_CHECKING:
    from trialbalance.twin.twin import Twin

KIND = "account"
LEGACY = {"platform_payments": "transfers"}
"""What capabilities were once called."""
REASONS = {
    "fraud": "rejected.fraud",
    "credit": "rejected.platform_other",
    "fraud_no_intent_to_fulfill": "rejected.platform_fraud",
    "fraud_other": "rejected.platform_fraud",
    "fraud_payment_method_casher": "rejected.platform_fraud",
    "fraud_payment_method_tester": "rejected.platform_fraud",
    "other": "rejected.platform_other",
    "terms_of_service": "rejected.platform_terms_of_service",
}
_ADDRESSES = (
    "address",
    "address_kana",
    "address_kanji",
    "administrative_address",
    "physical_address",
    "principal_place_of_business",
)
_BANK = next(
    branch["hash"]
    for branch in load().endpoints["POST /v1/accounts"].params["hash"]["external_account"]["union"]
    if "hash" in branch
)
for _name in ("POST /v1/accounts", "POST /v1/accounts/{account}"):
    # Older names that the API was recorded to take still.
    own_parameters(
        _name,
        requested_capabilities={"array": "str"},
        bank_account={"union": ["str", {"hash": _BANK}]},
    )
own_parameters(
    "POST /v1/accounts/{account}/reject",
    reason={"enum": sorted(REASONS), "open": True},
)


@endpoint("POST /v1/accounts")
def create(call: Call) -> JsonObject:
    """A new connected account."""
    params = call.params
    if call.account != call.twin.account:
        raise PermissionDenied("Only platforms can create connected accounts.", code="account_invalid")
    call.exclusive("type", "controller")
    country = str(params.get("country") or call.twin.config.country).upper()
    if not countries.known(country):
        raise InvalidRequest(
            f"{country} is not currently supported by Stripe.", param="country", code="country_unsupported"
        )
    controller = _controller(params.plain("controller")) if params.get("controller") else None
    type = fields.type_of(controller) if controller else params.get("type") or "standard"
    account = blank(call, country, controller or fields.TYPES[type], type)
    _describe(call, account, new=True)
    for name in ("external_account", "bank_account"):
        if params.get(name):
            external_accounts.give(call, account, params[name], param=name)
    if not account["_requested"] and type != "custom":
        capabilities.request(call, account, {"card_payments": True, "transfers": True})
    account_state.changed(call, account)
    account["created"] = call.now
    return account


@endpoint("GET /v1/account")
def retrieve_own(call: Call) -> JsonObject:
    """The account that the request acts on."""
    if call.account == call.twin.account:
        return own(call)
    return account_state.get(call, call.account)


@endpoint("GET /v1/accounts/{account}")
def retrieve(call: Call) -> JsonObject:
    """One connected account, or the platform's own."""
    if call.path["account"] == call.twin.account and call.account == call.twin.account:
        return own(call)
    return account_state.get(call, call.path["account"])


@endpoint("GET /v1/accounts")
def list_(call: Call) -> JsonObject:
    """The platform's connected accounts, newest first."""
    return call.list(KIND)


@endpoint("POST /v1/accounts/{account}")
def update(call: Call) -> JsonObject:
    """Change what was sent, as far as the platform may."""
    account = _of(call)
    _describe(call, account, new=False)
    for name in ("external_account", "bank_account"):
        if call.params.get(name):
            external_accounts.replace(call, account, call.params[name], param=name)
    account_state.changed(call, account)
    return account


@endpoint("DELETE /v1/accounts/{account}")
def delete(call: Call) -> JsonObject:
    """Delete a connected account: in test mode at any time.

    Source: https://docs.stripe.com/api/accounts/delete
    """
    account = _of(call)
    stub = call.deleted_stub(account)
    disconnect(call, account)
    return stub


@endpoint("POST /v1/accounts/{account}/reject")
def reject(call: Call) -> JsonObject:
    """Reject an account as suspicious: it can neither charge nor be paid out.

    Source: https://docs.stripe.com/api/account/reject
    """
    account = _of(call)
    if account["type"] == "standard" or account["controller"]["losses"]["payments"] == "stripe":
        raise InvalidRequest("You cannot reject an account whose losses Stripe is responsible for.")
    reason = call.params["reason"]
    if reason not in REASONS:
        raise InvalidRequest(f"Invalid reason: must be one of {', '.join(sorted(REASONS))}", param="reason")
    account["_rejected"] = REASONS[reason]
    action = call.params.get("payouts_action")
    account["_payouts_blocked"] = action != "none"
    account_state.changed(call, account)
    return account


@endpoint("POST /v1/accounts/{account}/unreject")
def unreject(call: Call) -> JsonObject:
    """Take a rejection back."""
    account = _of(call)
    if not account.get("_rejected"):
        raise InvalidRequest("This account is not rejected.")
    account["_rejected"] = None
    account["_payouts_blocked"] = False
    account_state.changed(call, account)
    return account


def blank(call: Call, country: str, controller: JsonObject, type: str) -> JsonObject:
    """A new, stored account that has told nothing yet."""
    account = call.new(
        KIND,
        None,
        id=f"acct_1{call.new_id('acct').removeprefix('acct_1')[:5]}{call.twin.ids.random(10)}",
        business_profile=fields.profile(),
        controller=controller,
        country=country,
        created=call.now,
        default_currency=countries.currency_of(country),
        charges_enabled=False,
        payouts_enabled=False,
        details_submitted=False,
        future_requirements=standing.blank(),
        requirements=standing.blank(),
        settings=fields.settings(countries.facts(country).delay),
        tos_acceptance={"date": None, "ip": None, "user_agent": None},
        type=type,
    )
    account["company"] = fields.company(country, business=False)
    account["capabilities"] = {}
    account |= {"_requested": {}, "_deadline": None}
    return call.insert(account)


def own(call: Call) -> JsonObject:
    """The platform's own account, made of its configuration."""
    config = call.twin.config
    account: JsonObject = {
        "id": call.twin.account,
        "object": KIND,
        "business_profile": fields.profile() | {"name": config.display_name},
        "business_type": "company",
        "capabilities": {"card_payments": "active", "transfers": "active"},
        "charges_enabled": True,
        "controller": {"type": "account"},
        "country": config.country,
        "created": (call.find("_platform", call.twin.account) or {}).get("created", call.now),
        "default_currency": config.currency,
        "details_submitted": True,
        "email": None,
        "payouts_enabled": True,
        "settings": fields.settings(countries.facts(config.country).delay),
        "type": "standard",
    }
    name = fields.descriptor(config.display_name)
    account["settings"]["dashboard"]["display_name"] = config.display_name
    account["settings"]["payments"]["statement_descriptor"] = name
    account["settings"]["card_payments"]["statement_descriptor_prefix"] = name[:10].rstrip() if name else None
    return account


def disconnect(call: Call, account: JsonObject) -> None:
    """End the platform's access to an account: requests for it are refused from now on."""
    call.ledger.delete(call.twin.account, KIND, account["id"])


def prepare(twin: Twin) -> None:
    """Remember when the platform's account began."""
    Call(twin, twin.account).insert(
        {"id": twin.account, "object": "_platform", "created": twin.now()}, kind="_platform"
    )


# Steps


def _of(call: Call) -> JsonObject:
    if call.path["account"] == call.twin.account:
        raise PermissionDenied(
            "You cannot change or delete your own account through the API.", code="account_invalid"
        )
    return account_state.edit(call, call.path["account"])


def _controller(given: Any) -> JsonObject:
    """Controller properties with their defaults, and what they must have in common.

    Source: https://docs.stripe.com/connect/migrate-to-controller-properties
    """
    controller: JsonObject = {
        "fees": {"payer": (given.get("fees") or {}).get("payer") or "account"},
        "is_controller": True,
        "losses": {"payments": (given.get("losses") or {}).get("payments") or "stripe"},
        "requirement_collection": given.get("requirement_collection") or "stripe",
        "stripe_dashboard": {"type": (given.get("stripe_dashboard") or {}).get("type") or "full"},
        "type": "application",
    }
    ours = controller["requirement_collection"] == "application"
    dashboard = controller["stripe_dashboard"]["type"]
    if ours and (
        controller["losses"]["payments"] != "application" or controller["fees"]["payer"] != "application"
    ):
        raise InvalidRequest(
            "When `controller[requirement_collection]` is `application`, `controller[losses][payments]` and "
            "`controller[fees][payer]` must be `application` too.",
            param="controller[requirement_collection]",
        )
    if ours and dashboard != "none":
        raise InvalidRequest(
            "When `controller[requirement_collection]` is `application`, `controller[stripe_dashboard][type]` must be "
            "`none`.",
            param="controller[stripe_dashboard][type]",
        )
    if dashboard == "express" and controller["losses"]["payments"] != "application":
        raise InvalidRequest(
            "The Express Dashboard needs `controller[losses][payments]` to be `application`.",
            param="controller[losses][payments]",
        )
    return controller


def _describe(call: Call, account: JsonObject, *, new: bool) -> None:
    """Copy what was sent into an account, checking each thing."""
    params = call.params
    data = {name: params.plain(name) for name in ("business_type", "company", "individual") if name in params}
    accepted = params.plain("tos_acceptance") if "tos_acceptance" in params else None
    if params.get("account_token"):
        told = tokens.data_of(call, params["account_token"], KIND, param="account_token")
        data |= {name: told[name] for name in ("business_type", "company", "individual") if told.get(name)}
        if told.get("tos_shown_and_accepted"):
            accepted = {"date": call.now, "ip": "192.0.2.1"}
    _allowed(account, data, accepted)
    if "email" in params:
        account["email"] = addresses.email(params["email"] or "") or None
    if params.get("default_currency"):
        account["default_currency"] = currencies.check_currency(
            params["default_currency"], "default_currency"
        )
    if "business_profile" in params:
        fields.merge(account["business_profile"], params.plain("business_profile"))
        check_profile(account)
    if "business_type" in data:
        set_business_type(call, account, data["business_type"])
    if "company" in data:
        set_company(call, account, data["company"] or {})
    if data.get("individual"):
        if account["business_type"] is None:
            set_business_type(call, account, "individual")
        persons.individual(call, account, data["individual"])
    if accepted:
        fields.merge(account["tos_acceptance"], accepted)
    if "settings" in params:
        _settings(account, params.plain("settings"))
    if params.get("groups"):
        account["groups"] = {"payments_pricing": params.plain("groups").get("payments_pricing") or None}
    if params.get("documents"):
        account["_documents"] = {**(account.get("_documents") or {}), **params.plain("documents")}
    if params.get("capabilities"):
        wanted = {
            name: bool(value.get("requested"))
            for name, value in params.plain("capabilities").items()
            if "requested" in value
        }
        capabilities.request(call, account, wanted)
    if params.get("requested_capabilities"):
        names = params["requested_capabilities"]
        capabilities.request(call, account, {LEGACY.get(name, name): True for name in names})
    call.merge_metadata(account)
    fill_names(account)


def _allowed(account: JsonObject, data: JsonObject, accepted: Any) -> None:
    """Refuse what only the account holder may tell.

    Source: https://docs.stripe.com/connect/updating-service-agreements#tos-acceptance
    """
    if account["controller"]["requirement_collection"] == "application":
        return
    if accepted and set(accepted) - {"service_agreement"}:
        raise InvalidRequest(
            "You cannot accept the Terms of Service on behalf of Standard and Express connected accounts.",
            param="tos_acceptance",
        )
    if account_state.hidden(account) and data:
        name = sorted(data)[0]
        error = PermissionDenied(
            f"This application does not have the required permissions for the parameter '{name}' on account "
            f"'{account['id']}'.",
            param=name,
            code="oauth_not_supported",
        )
        raise error


def set_business_type(call: Call, account: JsonObject, kind: str | None) -> None:
    """Change what kind of business an edited account is; what no longer fits is forgotten."""
    if kind == account["business_type"]:
        return
    before = account["business_type"]
    account["business_type"] = kind or None
    business = kind not in (None, "", "individual")
    if before in (None, "individual") or not business:
        told = account["company"]
        account["company"] = fields.company(account["country"], business=business)
        if business and told["name"]:
            account["company"]["name"] = told["name"]
    if business and before == "individual":
        persons.forget(call, account)


def set_company(call: Call, account: JsonObject, given: JsonObject) -> None:
    """Copy what was sent into an edited account's company."""
    company = account["company"]
    given = dict(given)
    for name in ("tax_id", "vat_id", "registration_number"):
        if name in given:
            account[f"_{name}"] = given.pop(name) or None
    if account.get("_tax_id") is not None and account.get("_checked_tax_id") != account["_tax_id"]:
        account["_checked_tax_id"] = account["_tax_id"]
        account["_checking"] = account["_tax_id"] not in testing.IMMEDIATE_TAX_IDS
        if account["_checking"]:
            account_state.platform(call).schedule(
                call.now + account_state.wait(call), "account.check", account["id"], timeline=""
            )
    company["tax_id_provided"] = bool(account.get("_tax_id"))
    if account.get("_vat_id"):
        company["vat_id_provided"] = True
    for name in _ADDRESSES:
        if name in given:
            sent = given.pop(name) or {}
            if name == "address":
                if (sent.get("country") or account["country"]).upper() != account["country"]:
                    raise InvalidRequest(
                        "The country of the business address provided does not match the country of the account. "
                        "Businesses must be located in the same country as the account.",
                        param="company[address][country]",
                        code="account_country_invalid_address",
                    )
                company[name] = addresses.address(sent, company["address"]) or fields.address(
                    account["country"]
                )
            else:
                company[name] = {**(company.get(name) or {}), **sent}
    if "phone" in given:
        company["phone"] = fields.phone(given.pop("phone"), account["country"])
    fields.merge(company, given)
    account["company"] = fields.ordered(company)


def check_profile(account: JsonObject) -> None:
    """Check and order an edited account's business profile.

    Raises:
        InvalidRequest: the address or the category is none.
    """
    profile = account["business_profile"]
    if profile["support_address"] is not None:
        profile["support_address"] = addresses.address(profile["support_address"])
    if profile["url"] and not profile["url"].startswith(("http://", "https://")):
        if "." not in profile["url"] or " " in profile["url"]:
            raise InvalidRequest("Not a valid URL", param="business_profile[url]", code="url_invalid")
        profile["url"] = f"https://{profile['url']}"
    if profile["url"] == testing.INACTIVITY:
        account["_paused"] = "inactivity"
    if profile["mcc"] and not (len(profile["mcc"]) == 4 and profile["mcc"].isdigit()):
        raise InvalidRequest(
            f"Invalid merchant category code: {profile['mcc']}", param="business_profile[mcc]"
        )
    account["business_profile"] = fields.ordered(profile)


def _settings(account: JsonObject, given: JsonObject) -> None:
    settings = account["settings"]
    schedule = (given.get("payouts") or {}).get("schedule")
    if schedule:
        _schedule(account, schedule)
        given = {**given, "payouts": {k: v for k, v in given["payouts"].items() if k != "schedule"}}
    wanted = (given.get("payments") or {}).get("statement_descriptor")
    if wanted and not 5 <= len(wanted) <= 22:
        raise InvalidRequest(
            "The statement descriptor must be at least 5 and at most 22 characters.",
            param="settings[payments][statement_descriptor]",
        )
    fields.merge(settings, given)
    account["settings"] = fields.ordered(settings)


def _schedule(account: JsonObject, given: JsonObject) -> None:
    """A payout schedule, with the anchors that its interval needs.

    Source: https://docs.stripe.com/connect/manage-payout-schedule
    """
    old = account["settings"]["payouts"]["schedule"]
    interval = given.get("interval") or old["interval"]
    fresh: JsonObject = {"interval": interval, "delay_days": old["delay_days"]}
    delay = given.get("delay_days")
    least = countries.facts(account["country"]).delay
    if delay == "minimum":
        fresh["delay_days"] = least
    elif delay is not None:
        days = int(delay)
        if not least <= days <= 31:
            raise InvalidRequest(
                f"The delay_days must be between {least} and 31.",
                param="settings[payouts][schedule][delay_days]",
            )
        fresh["delay_days"] = days
    names = {
        "weekly": ("weekly_anchor", "weekly_payout_days"),
        "monthly": ("monthly_anchor", "monthly_payout_days"),
    }.get(interval, ())
    for name in ("weekly_anchor", "weekly_payout_days", "monthly_anchor", "monthly_payout_days"):
        if name in given and name not in names:
            raise InvalidRequest(
                f"You cannot set `{name}` for a payout schedule whose interval is {interval}.",
                param=f"settings[payouts][schedule][{name}]",
            )
        if name in names and (name in given or name in old):
            fresh[name] = given.get(name, old.get(name))
    if names and not any(name in fresh for name in names):
        raise InvalidRequest(
            f"A {interval} payout schedule needs `{names[0]}`.",
            param=f"settings[payouts][schedule][{names[0]}]",
        )
    account["settings"]["payouts"]["schedule"] = fields.ordered(fresh)


def fill_names(account: JsonObject) -> None:
    """Fill the descriptor and the display name from the business's name, where they were not given."""
    settings = account["settings"]
    name = account["business_profile"]["name"] or account["company"].get("name")
    if not name:
        return
    settings["dashboard"]["display_name"] = settings["dashboard"]["display_name"] or name
    descriptor = fields.descriptor(name)
    if settings["payments"]["statement_descriptor"] is None:
        settings["payments"]["statement_descriptor"] = descriptor
    if settings["card_payments"]["statement_descriptor_prefix"] is None and descriptor:
        settings["card_payments"]["statement_descriptor_prefix"] = descriptor[:10].rstrip()
