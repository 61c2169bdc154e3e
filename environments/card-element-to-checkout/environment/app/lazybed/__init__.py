"""Lazybed, the seed potato shop of the Tiernan family at Drumgarrow."""

from __future__ import annotations

from flask import Flask, g, render_template, request

from . import database, money
from .config import Config
from .payments import Payments
from .web import basket, checkout, receipts, shop, webhooks


def create_app(config: Config, payments: Payments | None = None) -> Flask:
    """The shop's web application.

    `payments` lets the tests put a stand-in where the shop talks to Stripe.
    """
    app = Flask(__name__)
    app.secret_key = config.cookie_secret
    app.config.update(SESSION_COOKIE_NAME="lazybed", SESSION_COOKIE_SAMESITE="Lax")
    app.extensions["lazybed.config"] = config
    app.extensions["lazybed.payments"] = payments or Payments(config)

    @app.teardown_appcontext
    def close_database(_: BaseException | None) -> None:
        connection = g.pop("database", None)
        if connection is not None:
            connection.close()

    @app.after_request
    def headers(response):
        response.headers.setdefault("X-Content-Type-Options", "nosniff")
        response.headers.setdefault("Referrer-Policy", "strict-origin-when-cross-origin")
        if not request.path.startswith("/static/"):
            response.headers.setdefault("Cache-Control", "no-store")
        return response

    @app.errorhandler(404)
    def not_found(_):
        return render_template("missing.html"), 404

    @app.errorhandler(database.ShopNotReady)
    def not_ready(error):
        return str(error), 503, {"Content-Type": "text/plain; charset=utf-8"}

    app.template_filter("money")(money.display)
    for module in (shop, basket, checkout, receipts, webhooks):
        app.register_blueprint(module.pages)
    return app
