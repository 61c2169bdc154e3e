# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-28f8f4659074: keep out of training data
"""Write the parameters of every page, with `@key` as the id that the thing of that key has in this account.

`pages.json` has the parameters, `catalogue.json` what each key was made with. What no field tells apart comes in the order in
which it was made.
"""

from __future__ import annotations

import base64
import json
import os
import pathlib
import urllib.request

HERE = pathlib.Path(__file__).parent
LISTS = ("products", "prices", "coupons", "promotion_codes", "customers", "shipping_rates")


def listed(name: str) -> list[dict]:
    """Everything of a kind, oldest first."""
    key = base64.b64encode(f"{os.environ['STRIPE_SECRET_KEY']}:".encode()).decode()
    found: list[dict] = []
    while True:
        after = f"&starting_after={found[-1]['id']}" if found else ""
        url = f"https://api.stripe.com/v1/{name}?limit=100{after}"
        request = urllib.request.Request(url, headers={"Authorization": f"Basic {key}"})
        page = json.load(urllib.request.urlopen(request, timeout=60))
        found += page["data"]
        if not page["has_more"]:
            return found[::-1]


def fits(made: object, given: object) -> bool:
    """Whether an object has everything it was asked to have."""
    if isinstance(given, dict):
        return isinstance(made, dict) and all(fits(made.get(key), value) for key, value in given.items())
    return made == given


def main() -> None:
    """Print answers.json."""
    pages = json.loads((HERE / "pages.json").read_text("utf-8"))
    catalogue = json.loads((HERE / "catalogue.json").read_text("utf-8"))
    objects = {name: listed(name) for name in LISTS}
    ids: dict[str, str] = {}

    def filled(value: object) -> object:
        if isinstance(value, dict):
            return {key: filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [filled(item) for item in value]
        return ids[value[1:]] if isinstance(value, str) and value.startswith("@") else value

    for entry in catalogue:
        wanted = filled(entry["form"])
        found = next(
            (
                made
                for made in objects[entry["list"]]
                if made["id"] not in ids.values() and fits(made, wanted)
            ),
            None,
        )
        if found is None:
            raise SystemExit(f"the account has no {entry['as']}: {wanted}")
        ids[entry["as"]] = found["id"]
    print(json.dumps({name: filled(form) for name, form in pages.items()}, indent=1, ensure_ascii=False))


main()
