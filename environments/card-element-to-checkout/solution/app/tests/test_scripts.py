# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-b9f9cf05dcbf: keep out of training data
import csv
import io
import os
import subprocess
import sys
from pathlib import Path

from lazybed import database, orders
from lazybed.pricing import Line, quote

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"


def run(config, name, *arguments):
    environment = {
        **os.environ,
        "STRIPE_SECRET_KEY": config.stripe_secret_key,
        "STRIPE_PUBLISHABLE_KEY": config.stripe_publishable_key,
        "STRIPE_WEBHOOK_SECRET": config.stripe_webhook_secret,
        "DATABASE_PATH": str(config.database_path),
        "CATALOGUE_PATH": str(config.catalogue_path),
    }
    return subprocess.run(
        [sys.executable, SCRIPTS / name, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def paid_order(shop):
    from lazybed.pricing import Delivery

    order = orders.write_down(
        shop,
        basket="b",
        quote=quote([Line("T-1", "Duke of Test", 800, 2)], Delivery(500, 5000)),
        currency="eur",
        note="",
    )
    payment = orders.Payment(
        reference="pi_1",
        email="nuala@example.test",
        address=orders.Address("Nuala", "1 Hill Road", "", "Drumgarrow", "", "N41", "IE"),
        currency="eur",
        subtotal=1600,
        discount=0,
        shipping=500,
        total=2100,
    )
    orders.mark_paid(shop, order, payment)
    return order


def test_reset_makes_a_shop_that_can_be_opened(config):
    done = run(config, "reset_shop.py")
    assert done.returncode == 0, done.stderr
    connection = database.connect(config.database_path)
    assert connection.execute("SELECT count(*) FROM products").fetchone()[0] == 2
    connection.close()


def test_export_prints_paid_orders_only(config, shop):
    order = paid_order(shop)
    shop.execute(
        "INSERT INTO orders (number, status, basket, receipt_token, email, currency, subtotal, discount,"
        " shipping, total, ship_name, ship_line1, ship_city, ship_postcode, ship_country, created_at)"
        " VALUES ('LB-1', 'pending', 'c', 'x', 'e', 'eur', 1, 0, 0, 1, 'n', 'l', 'c', 'p', 'IE', 't')"
    )
    (row,) = csv.DictReader(io.StringIO(run(config, "export_orders.py").stdout))
    assert row["order"] == order.number
    assert (row["total"], row["currency"], row["payment_reference"]) == ("2100", "eur", "pi_1")


def test_refund_refuses_what_was_not_paid(config, shop):
    done = run(config, "refund_order.py", "LB-9")
    assert done.returncode == 1
    assert done.stderr == "refund_order.py: there is no order LB-9\n"


def test_a_missing_setting_is_one_clear_line(config):
    from dataclasses import replace

    done = run(replace(config, stripe_secret_key=""), "export_orders.py")
    assert done.returncode == 1
    assert done.stderr.startswith("export_orders.py: STRIPE_SECRET_KEY is not set")
