"""The addresses of the back office. What callers send and get is described in the README."""

from __future__ import annotations

import datetime

import stripe
from flask import Flask, request

from . import accounts, hire, past, repairs
from .books import Books
from .config import Config
from .problems import Refused, answer_to


def create_app(config: Config) -> Flask:
    connect(config)
    books = Books(config.database_path)
    app = Flask(__name__)
    app.json.sort_keys = False

    @app.get("/health")
    def health():
        return {"ok": True}

    # Repairs

    @app.get("/repairs/<number>")
    def show_repair(number):
        return repairs.show(books, number)

    @app.post("/repairs/<number>/refunds")
    def refund_repair(number):
        return repairs.refund(books, number, _body().get("amount")), 201

    @app.get("/day-book")
    def day_book():
        since, until = _day("from"), _day("to")
        return repairs.day_book(books, since, until + 86_400)

    # Accounts

    @app.get("/invoices/<invoice>")
    def show_invoice(invoice):
        return accounts.invoice(invoice)

    @app.post("/invoices/<invoice>/pay")
    def pay_invoice(invoice):
        return accounts.pay(invoice, _body().get("how"))

    @app.get("/payments/<payment>")
    def show_payment(payment):
        return accounts.payment(books, payment)

    @app.get("/accounts/<account>/statement")
    def show_statement(account):
        return accounts.statement(books, account)

    # Hires

    @app.get("/hires")
    def list_hires():
        return hire.listing(books, request.args.get("after"))

    @app.post("/hires")
    def start_hire():
        body = _body()
        given = (body.get(name) for name in ("account", "instrument", "price"))
        return hire.start(books, *given, body.get("quantity", 1), body.get("code")), 201

    @app.get("/hires/<hire_id>")
    def show_hire(hire_id):
        return hire.show(books, hire_id)

    @app.post("/hires/<hire_id>/quantity")
    def change_hire(hire_id):
        return hire.change(books, hire_id, _body().get("quantity"))

    @app.get("/hires/<hire_id>/next")
    def next_invoice(hire_id):
        return hire.next_invoice(hire_id)

    @app.post("/hires/<hire_id>/discount")
    def give_discount(hire_id):
        return hire.give_discount(books, hire_id, _body().get("code"))

    @app.delete("/hires/<hire_id>/discount")
    def take_discount(hire_id):
        return hire.take_discount(books, hire_id)

    @app.post("/hires/<hire_id>/end")
    def end_hire(hire_id):
        return hire.end(books, hire_id, _body().get("when"))

    @app.get("/codes/<text>")
    def show_code(text):
        return hire.code(text)

    # Problems

    @app.errorhandler(Refused)
    def refused(problem):
        return problem.body, problem.status

    @app.errorhandler(stripe.StripeError)
    def trouble(problem):
        app.logger.warning("%s %s: %s", request.method, request.path, problem)
        return answer_to(problem)

    return app


def connect(config: Config) -> None:
    """Tell the SDK who we are, once for the whole process."""
    past.connect(config.stripe_secret_key)


def _body() -> dict:
    body = request.get_json(silent=True)
    return body if isinstance(body, dict) else {}


def _day(name: str) -> int:
    try:
        day = datetime.date.fromisoformat(request.args.get(name, ""))
    except ValueError:
        raise Refused(422, name) from None
    return int(datetime.datetime(day.year, day.month, day.day, tzinfo=datetime.timezone.utc).timestamp())
