# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-621004ad01b7: keep out of training data
"""Write everything of the task that depends on the seed: `python tests/make.py --seed 7`.

    environment/twin.json          both accounts and the merchant's pages
    solution/pages.json            the parameters of every page, with `@key` for ids
    solution/catalogue.json        what the keys stand for
    mutants/page-07-…/             each page with one mistake
    cheats/random-guess, cheats/nearest-template   what guessing is worth

The seed of the published set is 1. Seeds from 900000 on are reserved for evaluators, who keep the sets they make of them
to themselves; they are refused without `--reserved`.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from trialbalance.tasks.canary import write_canaries

from baselines import Answers, nearest_template, random_guess
from bench import Bench
from challenges import RESERVED, draw_pages
from documents import document

TASK = Path(__file__).parents[1]
LISTS = ("products", "prices", "coupons", "promotion_codes", "customers", "shipping_rates")


class Mistake(NamedTuple):
    """A wrong solution: what is wrong, and the statement that makes it so."""

    page: str
    name: str
    reason: str
    change: str


MISTAKES = (
    Mistake("01", "two-of-it", "Two of the one thing that is sold.", 'page["line_items"][0]["quantity"] = 2'),
    Mistake(
        "02", "another-product", "Another product of the catalogue.",
        'page["line_items"][0]["price"] = pages["01"]["line_items"][0]["price"]',
    ),
    Mistake("03", "nobody-known", "The e-mail address that is filled in is left out.", 'del page["customer_email"]'),
    Mistake(
        "04", "another-plan", "A plan with another interval or price.",
        'page["line_items"][0]["price"] = pages["09"]["line_items"][0]["price"]',
    ),
    Mistake("05", "paid-not-given", "The button says that one pays, not that one gives.", 'del page["submit_type"]'),
    Mistake("06", "no-telephone", "Nobody is asked for a telephone number.", 'del page["phone_number_collection"]'),
    Mistake("07", "no-codes", "Promotion codes cannot be entered.", 'del page["allow_promotion_codes"]'),
    Mistake(
        "08", "one-more-allowed", "One more may be ordered than the page allows.",
        'page["line_items"][0]["adjustable_quantity"]["maximum"] += 1',
    ),
    Mistake(
        "09", "a-day-longer", "The trial is a day longer.", 'page["subscription_data"]["trial_period_days"] += 1'
    ),
    Mistake("10", "a-way-to-pay-less", "One payment method is overlooked.", 'page["payment_method_types"].pop()'),
    Mistake(
        "11", "choices-in-another-order", "The choices of a field are in another order.",
        'next(f for f in page["custom_fields"] if f["type"] == "dropdown")["dropdown"]["options"].reverse()',
    ),
    Mistake(
        "12", "button-as-it-is", "The colour of the button is left as it is.",
        'del page["branding_settings"]["button_color"]',
    ),
    Mistake(
        "13", "cards-stay", "Saved cards cannot be removed.",
        'del page["saved_payment_method_options"]["payment_method_remove"]',
    ),
    Mistake(
        "14", "a-day-later", "The billing cycle begins a day later.",
        'page["subscription_data"]["billing_cycle_anchor"] += 86_400',
    ),
    Mistake(
        "15", "no-estimate", "Nobody says how long the first delivery takes.",
        'del page["shipping_options"][0]["shipping_rate_data"]["delivery_estimate"]',
    ),
    Mistake(
        "16", "tax-number-as-you-like", "The tax number is asked for and not needed.",
        'del page["tax_id_collection"]["required"]',
    ),
    Mistake("17", "in-english", "The page is in the language of the browser.", 'del page["locale"]'),
    Mistake(
        "18", "under-another-name", "The merchant's name is the account's.",
        'del page["branding_settings"]["display_name"]',
    ),
    Mistake("19", "no-hours", "What is billed by use is left out.", 'page["line_items"].pop()'),
    Mistake(
        "20", "address-and-no-tax", "The address is asked for, and no tax follows from it.",
        'page["automatic_tax"]["enabled"] = False; page["billing_address_collection"] = "required"',
    ),
    Mistake(
        "21", "to-be-safe", "Birthdays are asked for, to be safe.",
        'page["custom_fields"].append({"key": "more", "label": {"type": "custom", "custom": "Birthday"}, "type": "text"})',
    ),
    Mistake(
        "22", "no-name", "The customer's own name is not asked for.", 'del page["name_collection"]["individual"]'
    ),
    Mistake("23", "with-a-wallet", "Link is offered.", 'del page["wallet_options"]'),
    Mistake(
        "24", "paid-until-then", "The days until billing begins are charged for.",
        'del page["subscription_data"]["proration_behavior"]',
    ),
)  # fmt: skip


def mutant_files(mistake: Mistake) -> dict[str, str]:
    """overlay.toml and solve.sh of a mistake."""
    return {
        "overlay.toml": (
            f'reason = "Page {mistake.page}: {mistake.reason}"\nkills = "page-{mistake.page}"\nalso = ["structure"]\n'
        ),
        "solve.sh": (
            "#!/bin/sh\nset -eu\npython3 - <<'END'\nimport json\n"
            'pages = json.load(open("/app/answers.json"))\n'
            f'page = pages["{mistake.page}"]\n{mistake.change}\n'
            'json.dump(pages, open("/app/answers.json", "w"))\nEND\n'
        ),
    }


GUESSES = {
    "random-guess": "A baseline: for each page any page of another set.",
    "nearest-template": "A baseline: for each page the page of five other sets that is most like it, chosen by an oracle.",
}


def guess_files(task: Path, name: str, answers: Answers, seed: int) -> dict[str, str]:
    """overlay.toml and solve.sh that hand in guesses, with the ids that things have in the account."""
    code = (task / "solution/solve.py").read_text("utf-8")
    for file, value in (("pages.json", answers), ("catalogue.json", catalogue_of(seed))):
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        code = code.replace(f'(HERE / "{file}").read_text("utf-8")', f"r'''{text}'''")
    code = "".join(line for line in code.splitlines(True) if "HERE =" not in line and "canary" not in line)
    return {
        "overlay.toml": f'reason = "{GUESSES[name]}"\nbase = "start"\n',
        "solve.sh": f"#!/bin/sh\nset -eu\npython3 - <<'END' > /app/answers.json\n{code}END\n",
    }


def catalogue_of(seed: int) -> list[dict[str, Any]]:
    """What the reference solution has to find in its account, with what tells it apart."""
    found = []
    for request in draw_pages(seed)[0].requests:
        name = request["path"].removeprefix("/v1/")
        if name not in LISTS:
            continue
        form = {key: value for key, value in request["form"].items() if key != "currency_options"}
        form = json.loads(
            json.dumps(form).replace(', "meter": "@meter-1"', "").replace(', "meter": "@meter-2"', "")
        )
        found.append({"as": request["as"], "list": name, "form": form})
    return found


def main() -> None:
    """Write the files of a seed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reserved", action="store_true", help="allow a seed that is kept for evaluators")
    given = parser.parse_args()
    if given.seed in RESERVED and not given.reserved:
        parser.error(f"seed {given.seed} is kept for evaluators; pass --reserved, and publish nothing of it")
    write(TASK, given.seed)


def write(task: Path, seed: int) -> None:
    """Write the files of a seed below a directory."""
    written = document(seed)
    lines = ",\n".join(json.dumps(request, ensure_ascii=False) for request in written["requests"])
    (task / "environment/twin.json").write_text(f'{{"seed": {seed}, "requests": [\n{lines}\n]}}\n', "utf-8")
    pages = {page.name: page.form for page in draw_pages(seed)[1]}
    (task / "solution/pages.json").write_text(json.dumps(pages, indent=1, ensure_ascii=False) + "\n", "utf-8")
    entries = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in catalogue_of(seed))
    (task / "solution/catalogue.json").write_text(f"[\n{entries}\n]\n", "utf-8")
    shutil.rmtree(task / "mutants", ignore_errors=True)
    for mistake in MISTAKES:
        folder = task / "mutants" / f"page-{mistake.page}-{mistake.name}"
        folder.mkdir(parents=True)
        for name, text in mutant_files(mistake).items():
            (folder / name).write_text(text, "utf-8")
    bench = Bench(written)
    for guess, answers in (
        ("random-guess", random_guess(seed)),
        ("nearest-template", nearest_template(bench, seed)),
    ):
        folder = task / "cheats" / guess
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in guess_files(task, guess, answers, seed).items():
            (folder / name).write_text(text, "utf-8")
    write_canaries(task)


if __name__ == "__main__":
    main()
