"""Files: uploads that disputes, accounts and brands refer to.

They come as multipart bodies; the content is kept with the file and served at its `url`.
Source: https://docs.stripe.com/api/files and https://docs.stripe.com/file-upload
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from trialbalance.twin import sites
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import file_links
from trialbalance.twin.wire.call import Call, endpoint
from trialbalance.twin.wire.lists import embedded
from trialbalance.twin.wire.multipart import Upload

if TYPE_CHECKING:
    from trialbalance.twin.twin import Twin

KIND = "file"
MEGABYTE = 1024 * 1024
IMAGES = ("jpg", "png")
PURPOSES: dict[str, tuple[tuple[str, ...] | None, int]] = {
    "account_requirement": (("pdf", *IMAGES), 10 * MEGABYTE),
    "additional_verification": (("pdf", *IMAGES), 16 * MEGABYTE),
    "business_icon": (("gif", *IMAGES), MEGABYTE // 2),
    "business_logo": (("gif", *IMAGES), MEGABYTE // 2),
    "customer_signature": (("gif", *IMAGES), 4 * MEGABYTE),
    "dispute_evidence": (("pdf", *IMAGES), 5 * MEGABYTE),
    "identity_document": (("pdf", *IMAGES), 16 * MEGABYTE),
}
"""Types and size that a purpose takes; other purposes take any file up to 16 MB."""
SIGNATURES = ((b"%PDF", "pdf"), (b"\x89PNG", "png"), (b"\xff\xd8\xff", "jpg"), (b"GIF8", "gif"))


@endpoint("POST /v1/files")
def create(call: Call) -> JsonObject:
    """Upload a file."""
    params = call.params
    upload = params["file"]
    purpose = params["purpose"]
    if not isinstance(upload, Upload):
        raise InvalidRequest(
            "The file must be uploaded: send the request as multipart/form-data with the file in the part `file`.",
            param="file",
        )
    content: bytes = upload["content"]
    if not content:
        raise InvalidRequest("The file is empty.", param="file", code="file_empty")
    type = _type(content, upload["filename"])
    allowed, most = PURPOSES.get(purpose, (None, 16 * MEGABYTE))
    if allowed is not None and type not in allowed:
        raise InvalidRequest(
            f"Files for the purpose {purpose} must be of one of these types: {', '.join(allowed)}.",
            param="file",
        )
    if len(content) > most:
        raise InvalidRequest(
            f"Files for the purpose {purpose} must be at most {most // 1024} KB.",
            param="file",
            code="file_too_large",
        )
    file = call.new(
        KIND,
        "file",
        filename=upload["filename"],
        purpose=purpose,
        size=len(content),
        type=type,
    )
    file["url"] = sites.page(call.twin, "files", f"v1/files/{file['id']}/contents")
    file["links"] = embedded([], f"/v1/file_links?file={file['id']}")
    file["_content"] = base64.b64encode(content).decode("ascii")
    file["_type"] = upload["type"]
    call.insert(file)
    link: Any = params.get("file_link_data")
    if link and link.get("create"):
        file_links.make(call, file, link.get("expires_at"), link.plain("metadata"))
    return file


@endpoint("GET /v1/files/{file}")
def retrieve(call: Call) -> JsonObject:
    """One file."""
    return call.get(KIND, call.path["file"], param="file")


@endpoint("GET /v1/files")
def list_(call: Call) -> JsonObject:
    """Files, newest first."""
    return call.list(KIND, where={"purpose": call.params.get("purpose")})


def content(twin: Twin, account: str, identifier: str) -> tuple[bytes, str, str] | None:
    """Content, media type and name of a file, or None."""
    file = twin.store.find(account, KIND, identifier)
    if file is None:
        return None
    return base64.b64decode(file["_content"]), str(file["_type"]), str(file["filename"])


def _type(content: bytes, name: str) -> str | None:
    """What kind of file it is: by its first bytes, else by its name."""
    for signature, type in SIGNATURES:
        if content.startswith(signature):
            return type
    ending = name.rpartition(".")[2].lower()
    return {"jpeg": "jpg"}.get(ending, ending) if "." in name else None
