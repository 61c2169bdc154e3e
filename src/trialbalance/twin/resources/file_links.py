"""File links: public addresses of files, until they expire.

Source: https://docs.stripe.com/api/file_links
"""

from __future__ import annotations

from trialbalance.twin import sites
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, due, endpoint
from trialbalance.twin.wire.lists import embedded

KIND = "file_link"
LINKED = frozenset(
    {
        "business_icon",
        "business_logo",
        "customer_signature",
        "dispute_evidence",
        "finance_report_run",
        "financial_account_statement",
        "identity_document_downloadable",
        "issuing_regulatory_reporting",
        "pci_document",
        "selfie",
        "sigma_scheduled_query",
        "tax_document_user_upload",
        "terminal_android_apk",
        "terminal_reader_splashscreen",
    }
)
"""Purposes whose files may be linked to."""


@endpoint("POST /v1/file_links")
def create(call: Call) -> JsonObject:
    """A link to a file."""
    file = call.edit("file", call.params["file"], param="file")
    link = make(call, file, call.params.get("expires_at"), None)
    call.merge_metadata(link)
    return link


@endpoint("GET /v1/file_links/{link}")
def retrieve(call: Call) -> JsonObject:
    """One link."""
    return call.get(KIND, call.path["link"], param="link")


@endpoint("GET /v1/file_links")
def list_(call: Call) -> JsonObject:
    """Links, newest first."""
    params = call.params
    expired = params.get("expired")
    return call.list(KIND, where={"file": params.get("file"), "expired": expired})


@endpoint("POST /v1/file_links/{link}")
def update(call: Call) -> JsonObject:
    """Change when a link expires (`now` ends it), and its metadata. Expired links stay expired."""
    link = call.edit(KIND, call.path["link"], param="link")
    if "expires_at" in call.params:
        if link["expired"]:
            raise InvalidRequest("This file link has expired and cannot be changed.", param="expires_at")
        when = call.params["expires_at"]
        _expire_at(call, link, call.now if when == "now" else when or None)
    call.merge_metadata(link)
    return link


def make(call: Call, file: JsonObject, expires_at: int | None, metadata: JsonObject | None) -> JsonObject:
    """A new, stored link to an edited file.

    Raises:
        InvalidRequest: files of its purpose may not be linked to, or it would be over already.
    """
    if file["purpose"] not in LINKED:
        raise InvalidRequest(
            f"You cannot create file links for files with the purpose {file['purpose']}.", param="file"
        )
    if expires_at is not None and expires_at <= call.now:
        raise InvalidRequest("The expiration time must be in the future.", param="expires_at")
    link = call.new(KIND, "link", expired=False, file=file["id"], metadata=dict(metadata or {}))
    link["url"] = sites.page(call.twin, "files", f"links/{call.twin.ids.random(56)}")
    _expire_at(call, link, expires_at)
    call.insert(link)
    shown = [link, *(file["links"] or {}).get("data", [])]
    file["links"] = embedded(shown, f"/v1/file_links?file={file['id']}")
    return link


def _expire_at(call: Call, link: JsonObject, when: int | None) -> None:
    link["expires_at"] = when
    link["expired"] = when is not None and when <= call.now
    if when is not None and not link["expired"]:
        call.schedule(when, "file_link.expire", link["id"], timeline="")


@due("file_link.expire")
def _expire(call: Call, target: str, arguments: JsonObject) -> None:
    link = call.edit(KIND, target)
    if link["expires_at"] is not None and link["expires_at"] <= call.now:
        link["expired"] = True
