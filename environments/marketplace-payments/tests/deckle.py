# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-795ba520f6a9: keep out of training data
"""What the checks know of Deckle Row: shops and brands to draw, setting it up, its sellers, and what Stripe has."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
from trialbalance.grading import App, Draw, Failed, GraderTwin, Mark, Session

VERSION = "2025-09-30.clover"
"""The account's API version."""
SHOPS = "/app/var/drawn-shops.json"
BRAND = "/app/var/drawn-brand.json"
SESSION = "/api/stripe/account-session"
CURRENCY = {"DE": "eur", "GB": "gbp", "US": "usd"}
CONTROLLER = {
    "fees": {"payer": "account"},
    "losses": {"payments": "stripe"},
    "requirement_collection": "stripe",
    "stripe_dashboard": {"type": "none"},
}
"""The kind of account that Deckle Row opens."""
ROLES = {
    "--color-text": "ink",
    "--color-secondary-text": "faded-ink",
    "--color-background": "paper",
    "--offset-background-color": "sheet",
    "--color-border": "line",
    "--color-primary": "accent",
    "--color-danger": "alarm",
    "--font-family": "font",
    "--font-size-base": "type-size",
    "--border-radius": "corner",
    "--spacing-unit": "step",
}
"""What a component was given, as its frame has it, and the name of the same thing in the brand."""

_WRITE = "import pathlib, sys; p = pathlib.Path(sys.argv[1]); p.parent.mkdir(exist_ok=True); p.write_text(sys.argv[2], 'utf-8')"

Object = dict[str, Any]


# Shops and brands


@dataclass(frozen=True)
class Shop:
    """A shop of the drawn file, with one item; `account` is its account at Stripe, if it has one."""

    name: str
    email: str
    password: str
    country: str
    item: str
    amount: int
    account: str | None = None
    status: str = "open"

    def entry(self) -> Object:
        """The shop as the file of shops has it."""
        item = {"title": self.item, "description": "By hand.", "amount": self.amount}
        entry: Object = {
            "shop": self.name,
            "email": self.email,
            "password": self.password,
            "country": self.country,
            "status": self.status,
            "items": [item],
        }
        return entry | ({"stripe_account": self.account} if self.account else {})

    @property
    def currency(self) -> str:
        """What its prices are in."""
        return CURRENCY[self.country]


def draw_shop(draw: Draw, account: str | None = None, status: str = "open", country: str = "") -> Shop:
    """A shop that no agent has seen."""
    product = draw.product()
    return Shop(
        name=f"{draw.word().title()} {draw.choice(('Bindery', 'Press', 'Folio', 'Papers'))} {draw.integer(11, 99)}",
        email=draw.email(),
        password=f"awl {draw.integer(10_000_000, 99_999_999)}",
        country=country or draw.choice(tuple(CURRENCY)),
        item=product.name,
        amount=product.amount,
        account=account,
        status=status,
    )


def draw_brand(draw: Draw) -> dict[str, str]:
    """A brand that no agent has seen: dark on light."""

    def colour(low: int, high: int) -> str:
        return "#" + "".join(f"{draw.integer(low, high):02x}" for _ in range(3))

    return {
        "ink": colour(10, 60),
        "faded-ink": colour(70, 105),
        "paper": colour(248, 255),
        "sheet": colour(232, 246),
        "line": colour(190, 225),
        "accent": colour(15, 110),
        "alarm": f"#{draw.integer(150, 190):02x}{draw.integer(10, 60):02x}{draw.integer(10, 60):02x}",
        "font": draw.choice(("Georgia, serif", "Verdana, 'DejaVu Sans', sans-serif", "'Courier New', monospace")),
        "type-size": f"{draw.integer(14, 18)}px",
        "corner": f"{draw.integer(1, 14)}px",
        "step": f"{draw.integer(7, 13)}px",
    }  # fmt: skip


def like(name: str, value: str) -> object:
    """A value of a brand, however it is written."""
    text = value.strip().lower()
    if match := re.fullmatch(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})", text):
        return tuple(int(part, 16) for part in match.groups())
    if match := re.fullmatch(r"rgb\((\d+),? (\d+),? (\d+)\)", text):
        return tuple(int(part) for part in match.groups())
    return re.sub(r"[\"'\s]", "", text) if name == "font" else text


# Setting Deckle Row up


def set_up(app: App, shops: list[Shop], brand: Mapping[str, str] | None = None) -> None:
    """Deckle Row with these shops and this brand, started."""
    document = {"shops": [shop.entry() for shop in shops]}
    put(app, SHOPS, json.dumps(document, ensure_ascii=False, indent=2))
    env = [f"SHOPS_PATH={SHOPS}"]
    done = app.run(["/usr/bin/env", *env, "npm", "run", "--silent", "db:reset"])
    if done.exit_code != 0:
        raise Failed(f"npm run db:reset ended with exit code {done.exit_code}", stderr=done.stderr[-500:])
    if brand is not None:
        put(app, BRAND, json.dumps(dict(brand), indent=2))
        app.start({"BRAND_PATH": BRAND})
    else:
        app.start()


def put(app: App, path: str, text: str) -> None:
    """Write a file in the app's sandbox."""
    done = app.run(["/usr/bin/python3", "-I", "-c", _WRITE, path, text])
    if done.exit_code != 0:
        raise Failed(f"{path} could not be written", stderr=done.stderr[-500:])


# Sellers


class Seller:
    """A shop's owner, without a browser."""

    def __init__(self, app: App, shop: Shop) -> None:
        self.app, self.shop = app, shop
        self.session: Session = app.session()
        self.id = ""

    @property
    def form(self) -> Object:
        """What the sign-up form asks for."""
        shop = self.shop
        return {"shop": shop.name, "country": shop.country, "email": shop.email, "password": shop.password}

    def sign_up(self) -> Seller:
        """Open the shop."""
        answer = self.session.call("POST", "/api/sign-up", json=self.form, status=201)
        self.id = str(answer["seller"]["id"])
        return self

    def sign_in(self) -> Seller:
        """Come back."""
        form = {"email": self.shop.email, "password": self.shop.password}
        answer = self.session.call("POST", "/api/sign-in", json=form)
        self.id = str(answer["seller"]["id"])
        return self

    def login(self) -> dict[str, str]:
        """The cookie of a login of its own, as a header."""
        form = {"email": self.shop.email, "password": self.shop.password}
        answer = self.app.session().post("/api/sign-in", json=form)
        cookies = [one.split(";")[0] for one in answer.headers.get_list("set-cookie")]
        return {"cookie": "; ".join(cookies)}


@dataclass(frozen=True)
class Asked:
    """An answer of the account session's address, the session whose secret it holds, and what it took."""

    status: int
    body: str
    secret: str
    made: Object | None
    stored: str
    requests: int

    def session(self) -> Object:
        """The account session; `Failed` when there is none."""
        if self.made is None:
            raise Failed("the answer holds no account session's client secret", status=self.status)
        return self.made

    @property
    def told(self) -> bool:
        """Whether the answer is an error as everywhere: with a code and a message."""
        try:
            error = json.loads(self.body)["error"]
            return bool(str(error["code"]) and str(error["message"]))
        except (ValueError, KeyError, TypeError):
            return False


def ask(twin: GraderTwin, session: Session, **request: Any) -> Asked:
    """`POST /api/stripe/account-session`, as a page does it or with more in it."""
    mark = twin.mark()
    answer = session.post(SESSION, **request)
    return asked(twin, answer, mark)


def asked(twin: GraderTwin, answer: httpx.Response, mark: Mark) -> Asked:
    """What an answer of it amounts to."""
    try:
        secret = str(answer.json()["clientSecret"])
    except (ValueError, KeyError, TypeError):
        secret = ""
    found = twin.created("account_session")
    made = next((one for one in found if secret and one["client_secret"] == secret), None)
    stored = answer.headers.get("cache-control", "")
    return Asked(answer.status_code, answer.text[:2000], secret, made, stored, len(twin.requests(since=mark)))


def enabled(session: Mapping[str, Any]) -> dict[str, list[str]]:
    """The components that an account session enables, with the features that each of them has."""
    shown = {name: one for name, one in session["components"].items() if one["enabled"]}
    return {
        name: sorted(feature for feature, on in one["features"].items() if on) for name, one in shown.items()
    }


# Stripe, as the owner of an account or a browser uses it


def open_account(twin: GraderTwin, country: str) -> str:
    """An account of Deckle Row's kind that can take payments: its owner has told Stripe everything."""
    params: Any = {
        "country": country,
        "email": "owner@example.test",
        "controller": CONTROLLER,
        "capabilities": {"card_payments": {"requested": True}, "transfers": {"requested": True}},
    }
    account = twin.stripe.v1.accounts.create(params).id
    onboard(twin, account)
    return account


def onboard(twin: GraderTwin, account: str) -> None:
    """The account's owner tells Stripe what it wants to know, in an onboarding component of ours."""
    components: Any = {"account_onboarding": {"enabled": True}}
    made = twin.stripe.v1.account_sessions.create({"account": account, "components": components})
    token = claim(twin, made.client_secret)
    answer = embedded(twin, "POST", "account/submit", token, "account_onboarding")
    if answer.status_code != 200:
        raise Failed("the account cannot be onboarded", reason=answer.text[:300])


def claim(twin: GraderTwin, secret: str) -> str:
    """Trade a client secret for what a component asks with, as Connect.js does."""
    answer = _browser(twin, "POST", "/v1/account_sessions/claim", {"client_secret": secret})
    if answer.status_code != 200:
        raise Failed("the client secret opens nothing", reason=answer.text[:300])
    return str(answer.json()["token"])


def embedded(
    twin: GraderTwin, method: str, path: str, token: str, component: str, **form: str
) -> httpx.Response:
    """A component's own request."""
    return _browser(twin, method, f"/v1/embedded/{path}", {"session": token, "component": component, **form})


def _browser(twin: GraderTwin, method: str, path: str, form: Mapping[str, str]) -> httpx.Response:
    how: Object = {"params": dict(form)} if method == "GET" else {"data": dict(form)}
    url, auth = twin.url + path, (twin.publishable_key, "")
    return httpx.request(method, url, auth=auth, trust_env=False, timeout=30, **how)


def sell(twin: GraderTwin, account: str, amount: int, currency: str, card: str = "pm_card_visa") -> str:
    """A direct charge on an account; the payment intent's id."""
    params: Any = {
        "amount": amount,
        "currency": currency,
        "payment_method": card,
        "payment_method_types": ["card"],
        "confirm": True,
    }
    return twin.client(version=VERSION, account=account).v1.payment_intents.create(params).id


def account_of(twin: GraderTwin, email: str) -> Object:
    """The one account with an address; `Failed` when there is none or there are more."""
    found = accounts_of(twin, email)
    if len(found) != 1:
        raise Failed("the shop does not have one account at Stripe", accounts=len(found))
    return found[0]


def accounts_of(twin: GraderTwin, email: str) -> list[Object]:
    """The accounts with an e-mail address."""
    return [one for one in twin.created("account") if one["email"] == email]


# The policy


def policy(header: str) -> dict[str, list[str]]:
    """A content security policy by its directives."""
    parts = [part.split() for part in header.split(";")]
    return {words[0].lower(): words[1:] for words in parts if words}


START = policy(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "frame-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The policy of Deckle Row as it was."""
_ADDED = re.compile(
    r"(https://([a-z0-9-]+\.|\*\.)*stripe\.com(/\S*)?|'(sha(256|384|512)|nonce)-[A-Za-z0-9+/_=-]+')", re.ASCII
)


def loosened(header: str) -> list[str]:
    """What a policy allows beyond that of before and what a component of Stripe needs."""
    now = policy(header)
    missing = [
        name for name in ("default-src", "form-action", "base-uri", "frame-ancestors") if name not in now
    ]
    found = [f"{name} is gone" for name in missing]
    for name, sources in now.items():
        before = START.get(name, START["default-src"])
        found += [
            f"{name} {one}" for one in sources if one not in (*before, "'none'") and not _ADDED.fullmatch(one)
        ]
    return found


# The trial's own payment


def from_our_page(entry: Mapping[str, Any]) -> bool:
    """Whether a page event says that a page of port 4242 embeds the page or led to it."""
    known = [str(entry.get(name) or "") for name in ("embedder", "referrer")]
    return any(urlsplit(one).netloc in ("127.0.0.1:4242", "localhost:4242") for one in known)
