"""Invoice rendering templates: made in the Dashboard (seeded here), listed and archived through the API.

Source: https://docs.stripe.com/api/invoice-rendering-template
"""

from __future__ import annotations

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, endpoint

KIND = "invoice_rendering_template"


@endpoint("GET /v1/invoice_rendering_templates/{template}")
def retrieve(call: Call) -> JsonObject:
    """One template."""
    template = call.get(KIND, call.path["template"])
    version = call.params.get("version")
    if version is not None and not 1 <= version <= template["version"]:
        raise InvalidRequest(f"The template has no version {version}.", param="version")
    return template


@endpoint("GET /v1/invoice_rendering_templates")
def list_(call: Call) -> JsonObject:
    """Templates, newest first."""
    return call.list(KIND, where={"status": call.params.get("status")})


def _move(call: Call, status: str) -> JsonObject:
    template = call.edit(KIND, call.path["template"])
    if template["status"] == status:
        raise InvalidRequest(f"This template is {status} already.")
    template["status"] = status
    return template


@endpoint("POST /v1/invoice_rendering_templates/{template}/archive")
def archive(call: Call) -> JsonObject:
    """Let a template be used no more."""
    return _move(call, "archived")


@endpoint("POST /v1/invoice_rendering_templates/{template}/unarchive")
def unarchive(call: Call) -> JsonObject:
    """Let a template be used again."""
    return _move(call, "active")
