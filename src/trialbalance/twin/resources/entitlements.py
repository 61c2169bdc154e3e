"""Features, what products give, and what customers are entitled to.

Source: https://docs.stripe.com/api/entitlements/feature
"""

from __future__ import annotations

from trialbalance.twin.billing import entitling
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.wire.call import Call, endpoint


@endpoint("POST /v1/entitlements/features")
def create_feature(call: Call) -> JsonObject:
    """A new feature; its lookup key is its own for ever."""
    params = call.params
    key = params["lookup_key"]
    if call.find("feature_key", key) is not None:
        raise InvalidRequest(
            f"A feature with the lookup key `{key}` exists already.",
            param="lookup_key",
            code="resource_already_exists",
        )
    feature = call.new(entitling.FEATURE, "feat_test", active=True, lookup_key=key, name=params["name"])
    call.merge_metadata(feature)
    call.insert(feature)
    call.insert({"id": key, "object": "feature_key", "feature": feature["id"]})
    return feature


@endpoint("GET /v1/entitlements/features/{id}")
def retrieve_feature(call: Call) -> JsonObject:
    """One feature."""
    return call.get(entitling.FEATURE, call.path["id"])


@endpoint("POST /v1/entitlements/features/{id}")
def update_feature(call: Call) -> JsonObject:
    """Rename, archive, or note something on a feature."""
    feature = call.edit(entitling.FEATURE, call.path["id"])
    call.assign(feature, "name", "active")
    call.merge_metadata(feature)
    return feature


@endpoint("GET /v1/entitlements/features")
def list_features(call: Call) -> JsonObject:
    """Features, newest first."""
    params = call.params
    archived = params.get("archived")
    return call.list(
        entitling.FEATURE,
        where={"lookup_key": params.get("lookup_key")},
        keep=lambda feature: archived is None or feature["active"] is not archived,
    )


@endpoint("POST /v1/products/{product}/features")
def attach(call: Call) -> JsonObject:
    """Let a product give a feature; running subscriptions get it with their next change or renewal."""
    product = call.get("product", call.path["product"])
    feature = call.get(entitling.FEATURE, call.params["entitlement_feature"], param="entitlement_feature")
    for known in call.ledger.all(call.account, entitling.PRODUCT_FEATURE, product=product["id"]):
        if known["_feature"] == feature["id"]:
            raise InvalidRequest(
                "This feature is attached to the product already.", param="entitlement_feature"
            )
    made = call.new(entitling.PRODUCT_FEATURE, "prodft", entitlement_feature=feature)
    made["_feature"] = feature["id"]
    made["product"] = product["id"]
    call.insert(made)
    return _shown(call, made)


def _shown(call: Call, attached: JsonObject) -> JsonObject:
    return {
        "id": attached["id"],
        "object": entitling.PRODUCT_FEATURE,
        "entitlement_feature": call.get(entitling.FEATURE, attached["_feature"]),
        "livemode": False,
    }


def _attached(call: Call) -> JsonObject:
    found = call.find(entitling.PRODUCT_FEATURE, call.path["id"])
    if found is None or found["product"] != call.path["product"]:
        raise NotFound(entitling.PRODUCT_FEATURE, call.path["id"])
    return found


@endpoint("GET /v1/products/{product}/features/{id}")
def retrieve_attached(call: Call) -> JsonObject:
    """One feature of a product."""
    return _shown(call, _attached(call))


@endpoint("GET /v1/products/{product}/features")
def list_attached(call: Call) -> JsonObject:
    """A product's features, newest first."""
    call.get("product", call.path["product"])
    return call.list(
        entitling.PRODUCT_FEATURE,
        where={"product": call.path["product"]},
        show=lambda attached: _shown(call, attached),
    )


@endpoint("DELETE /v1/products/{product}/features/{id}")
def detach(call: Call) -> JsonObject:
    """Let a product no longer give a feature."""
    found = _attached(call)
    call.ledger.delete(call.account, entitling.PRODUCT_FEATURE, found["id"])
    return {"id": found["id"], "object": entitling.PRODUCT_FEATURE, "deleted": True}


@endpoint("GET /v1/entitlements/active_entitlements")
def list_active(call: Call) -> JsonObject:
    """What a customer is entitled to."""
    customer = call.get("customer", call.params["customer"], param="customer")
    found = [entitling.shown(entry) for entry in reversed(entitling.of(call, customer["id"]))]
    return call.page_of(found, url=call.path_name)


@endpoint("GET /v1/entitlements/active_entitlements/{id}")
def retrieve_active(call: Call) -> JsonObject:
    """One entitlement."""
    return entitling.shown(call.get(entitling.ACTIVE, call.path["id"]))
