"""The shelves: front page, one product, the story of the place."""

from __future__ import annotations

from itertools import groupby

from flask import Blueprint, abort

from .. import catalogue, database
from .page import page

pages = Blueprint("shop", __name__)


@pages.get("/")
def front() -> str:
    products = catalogue.products(database.current())
    shelves = [(kind, list(group)) for kind, group in groupby(products, key=lambda product: product.kind)]
    return page("front.html", shelves=shelves)


@pages.get("/product/<sku>")
def product(sku: str) -> str:
    found = catalogue.product(database.current(), sku)
    if found is None:
        abort(404)
    return page("product.html", product=found)


@pages.get("/about")
def about() -> str:
    return page("about.html")


@pages.get("/health")
def health() -> tuple[dict[str, int], int]:
    return {"products": len(catalogue.products(database.current()))}, 200
