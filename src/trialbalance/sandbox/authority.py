"""A throw-away certificate authority for one trial, and the names of Stripe that it speaks for."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

import trustme
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from trialbalance.sandbox.errors import SandboxError
from trialbalance.twin.config import TlsFiles

STRIPE_HOSTS = (
    "api.stripe.com",
    "api.link.com",
    "app.link.com",
    "b.stripecdn.com",
    "billing.stripe.com",
    "book.stripe.com",
    "buy.stripe.com",
    "checkout.link.com",
    "checkout.stripe.com",
    "connect-js.stripe.com",
    "connect.stripe.com",
    "dashboard.stripe.com",
    "donate.stripe.com",
    "errors.stripe.com",
    "express.stripe.com",
    "files.stripe.com",
    "hooks.stripe.com",
    "invoice.stripe.com",
    "js.stripe.com",
    "link.com",
    "m.stripe.com",
    "m.stripe.network",
    "merchant-ui-api.stripe.com",
    "meter-events.stripe.com",
    "pay.stripe.com",
    "payments.stripe.com",
    "q.stripe.com",
    "r.stripe.com",
    "stripe.com",
    "uploads.stripe.com",
    "verify.stripe.com",
)
"""Every name under which an integration, a browser or Stripe's own tools look for Stripe."""


class Authority:
    """A certificate authority that only one trial's sandboxes trust. Its key never leaves this process."""

    def __init__(self, directory: Path, authority: trustme.CA) -> None:
        self.directory = directory
        self._authority = authority
        self._issued = 0

    @classmethod
    def create(cls, directory: Path) -> Self:
        """Make an authority whose certificates are written into ``directory``."""
        directory.mkdir(parents=True, exist_ok=True)
        created = cls(
            directory, trustme.CA(organization_name="Trial Balance", organization_unit_name="Trial authority")
        )
        created.certificate.write_bytes(created.pem)
        return created

    @property
    def certificate(self) -> Path:
        """The authority's own certificate, PEM."""
        return self.directory / "authority.pem"

    @cached_property
    def pem(self) -> bytes:
        """The authority's own certificate, PEM."""
        return self._authority.cert_pem.bytes()

    @cached_property
    def der(self) -> bytes:
        """The authority's own certificate, DER."""
        return x509.load_pem_x509_certificate(self.pem).public_bytes(Encoding.DER)

    @cached_property
    def subject_hash(self) -> str:
        """The name under which OpenSSL looks the certificate up in a directory."""
        return subject_hash(x509.load_pem_x509_certificate(self.pem).subject)

    def issue(self, names: Sequence[str]) -> TlsFiles:
        """A server certificate for these names, and its key, as files."""
        if not names:
            raise SandboxError("a certificate needs at least one name")
        self._issued += 1
        leaf = self._authority.issue_cert(*names, common_name=names[0])
        chain = self.directory / f"server-{self._issued}.pem"
        key = self.directory / f"server-{self._issued}.key"
        chain.write_bytes(b"".join(part.bytes() for part in leaf.cert_chain_pems))
        with os.fdopen(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(leaf.private_key_pem.bytes())
        return TlsFiles(chain, key)


def subject_hash(name: x509.Name) -> str:
    """OpenSSL's hash of a subject: SHA-1 over the name in canonical form, its first four bytes backwards."""
    canonical = b""
    for relative in name.rdns:
        attributes = b""
        for attribute in relative:
            value = " ".join(str(attribute.value).lower().split()).encode()
            attributes += _der(0x30, _object_identifier(attribute.oid.dotted_string) + _der(0x0C, value))
        canonical += _der(0x31, attributes)
    digest = hashlib.sha1(canonical, usedforsecurity=False).digest()
    return digest[:4][::-1].hex()


def _der(tag: int, content: bytes) -> bytes:
    length = len(content)
    if length < 0x80:
        return bytes([tag, length]) + content
    size = (length.bit_length() + 7) // 8
    return bytes([tag, 0x80 | size]) + length.to_bytes(size, "big") + content


def _object_identifier(dotted: str) -> bytes:
    first, second, *rest = (int(part) for part in dotted.split("."))
    content = bytes([first * 40 + second])
    for number in rest:
        digits = [number & 0x7F]
        while number := number >> 7:
            digits.append(0x80 | number & 0x7F)
        content += bytes(reversed(digits))
    return _der(0x06, content)
