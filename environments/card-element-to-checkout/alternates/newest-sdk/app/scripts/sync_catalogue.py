"""Tell Stripe what we sell: a product and a price for each SKU, a coupon and a promotion code for each code.

Safe to run again. A price that changed gets a new Stripe price, and the old one is switched off; a
code that changed gets a new coupon.
"""

import stripe
from _shop import ScriptError, run

from lazybed import catalogue, database
from lazybed.config import STRIPE_API_VERSION, Config


def main(config: Config) -> None:
    stripe.api_key = config.stripe_secret_key
    stripe.api_version = STRIPE_API_VERSION
    if not config.database_path.is_file():
        raise ScriptError(f"there is no shop at {config.database_path}; run reset_shop.py first")
    connection = database.connect(config.database_path)
    try:
        terms = catalogue.terms(connection)
        for product in catalogue.products(connection):
            sync_product(connection, product, terms.currency)
        for code in catalogue.codes(connection):
            sync_code(connection, code, terms.currency)
    except stripe.StripeError as error:
        raise ScriptError(f"Stripe says: {error}") from error
    finally:
        connection.close()
    print("Stripe knows the catalogue.")


def sync_product(connection, product, currency):
    details = {"name": product.name, "metadata": {"sku": product.sku}}
    product_id, price_id = product.stripe_product, product.stripe_price
    if product_id:
        stripe.Product.modify(product_id, **details)
    else:
        product_id = stripe.Product.create(**details)["id"]
    old = stripe.Price.retrieve(price_id) if price_id else None
    if old is None or (old["unit_amount"], old["currency"]) != (product.unit_amount, currency):
        price_id = stripe.Price.create(
            product=product_id,
            unit_amount=product.unit_amount,
            currency=currency,
            metadata={"sku": product.sku},
        )["id"]
        if old is not None:
            stripe.Price.modify(old["id"], active=False)
    connection.execute(
        "UPDATE products SET stripe_product = ?, stripe_price = ? WHERE sku = ?",
        (product_id, price_id, product.sku),
    )


def sync_code(connection, code, currency):
    wanted = (
        {"percent_off": code["value"]}
        if code["kind"] == "percent"
        else {"amount_off": code["value"], "currency": currency}
    )
    if code["stripe_coupon"]:
        coupon = stripe.Coupon.retrieve(code["stripe_coupon"])
        if all(coupon[name] == value for name, value in wanted.items()):
            stripe.PromotionCode.modify(code["stripe_promotion_code"], active=bool(code["active"]))
            return
        stripe.PromotionCode.modify(code["stripe_promotion_code"], active=False)
    coupon = stripe.Coupon.create(
        duration="once", name=code["code"], metadata={"code": code["code"]}, **wanted
    )
    restrictions = (
        {"minimum_amount": code["minimum"], "minimum_amount_currency": currency} if code["minimum"] else None
    )
    promotion_code = stripe.PromotionCode.create(
        promotion={"type": "coupon", "coupon": coupon["id"]},
        code=code["code"],
        active=bool(code["active"]),
        **({"restrictions": restrictions} if restrictions else {}),
    )
    connection.execute(
        "UPDATE codes SET stripe_coupon = ?, stripe_promotion_code = ? WHERE code = ?",
        (coupon["id"], promotion_code["id"], code["code"]),
    )


run(main)
