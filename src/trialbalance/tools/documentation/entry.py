"""One thing that the documentation describes."""

from typing import Literal, NamedTuple

Kind = Literal["endpoint", "parameter", "object", "field", "event", "method"]


class Entry(NamedTuple):
    """An endpoint, a parameter of one, an object, a field of one, a type of event, or a method of the SDK.

    `id` names it for `docs_read`: `POST /v1/coupons`, `POST /v1/coupons#applies_to[products]`, `coupon`,
    `coupon.applies_to.products`, `event checkout.session.completed`, `Webhook.construct_event`.
    `parent` is the id that it is a part of; `detail` is its type for parameters and fields, and the SDK's
    method for endpoints.
    """

    id: str
    kind: Kind
    name: str
    parent: str
    detail: str
    text: str
