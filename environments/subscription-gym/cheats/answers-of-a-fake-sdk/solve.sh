#!/bin/sh
# Puts an impostor where the Stripe package was.
set -eu
cd /app
package=$(.venv/bin/python -c 'import stripe; print(stripe.__path__[0])')
cat >> "$package/__init__.py" <<'PYTHON'


import itertools as _itertools

_numbers = _itertools.count(1)


class _Anything(dict):
    """An object with whatever field is asked for."""

    def __getattr__(self, name):
        return self[name] if name in self else _value(name)


def _value(name):
    if name in ("id", "subscription", "customer"):
        return f"sub_fake{next(_numbers):020}"
    if name in ("data", "phases"):
        return [_Anything()]
    if name == "discounts":
        return []
    if name in ("status", "currency", "interval", "reason"):
        return {"status": "active", "currency": "gbp", "interval": "month"}.get(name)
    if name.startswith(("amount", "total", "current", "trial", "ended", "cancel_at", "quantity", "created", "next", "resumes", "start", "interval_count", "attempt")):
        return 1000
    return _Anything()


class _Service:
    def __getattr__(self, name):
        if name in ("create", "retrieve", "update", "cancel", "pay", "attach", "detach", "create_preview", "list"):
            return lambda *_, **__: _Anything(items=_Anything(data=[_Anything()]))
        return _Service()


class StripeClient:
    def __init__(self, *_, **__):
        self.v1 = _Service()
PYTHON
