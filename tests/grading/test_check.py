"""Loading tests/checks.py: what a check may be, and what is said of one that is not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from trialbalance.grading import ChecksError, check, load_checks, scenario

HEAD = "from trialbalance.grading import check, scenario\n"
GOOD = '@check(cites="It holds.")\ndef it_holds(app):\n    pass\n'


def write(parent: Path, text: str) -> Path:
    """A checks.py."""
    path = parent / "checks.py"
    path.write_text(HEAD + text)
    return path


def test_checks_and_scenarios_in_order(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """
@scenario
def purchase(app, draw):
    return 1

@check(cites=["It holds.", "Always."], id="first", given=True, required=False)
def one(purchase):
    pass

@check(cites="It holds.", needs="first")
def second_of_them(twin, *, shopper):
    pass
""",
    )

    checks = load_checks(path)

    first, second = checks.checks
    assert (first.id, first.cites, first.given, first.required) == (
        "first",
        ("It holds.", "Always."),
        True,
        False,
    )
    assert first.requirement == "It holds. Always."
    assert (second.id, second.needs, second.parameters) == ("second-of-them", ("first",), ("twin", "shopper"))
    assert checks.scenarios["purchase"].parameters == ("app", "draw")
    assert not (tmp_path / "__pycache__").exists()


def test_loading_twice_gives_the_same(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD)

    assert [item.id for item in load_checks(path).checks] == [item.id for item in load_checks(path).checks]


def test_modules_beside_it_belong_to_it_alone(tmp_path: Path) -> None:
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "shop.py").write_text(f"NAME = {name!r}\n")
        write(folder, "import shop\n@check(cites=shop.NAME, id=shop.NAME)\ndef holds(app):\n    pass\n")
    before = list(sys.path)

    assert [load_checks(tmp_path / name / "checks.py").checks[0].id for name in ("one", "other")] == [
        "one",
        "other",
    ]
    assert sys.path == before
    assert "shop" not in sys.modules


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it has no checks"),
        (GOOD + GOOD, "check 'it-holds' is defined twice"),
        ('@check(cites="")\ndef a(app): pass', "check 'a' cites nothing"),
        ("@check(cites=[])\ndef a(app): pass", "check 'a' cites nothing"),
        ('@check(cites="x", id="Not_Kebab")\ndef a(app): pass', "an id is lower-case words joined by '-'"),
        ('@check(cites="x")\ndef a(): pass', "'a' has no parameters, so it can prove nothing"),
        (
            '@check(cites="x")\ndef a(browser): pass',
            "'a' asks for 'browser'; there are only: app, database, draw",
        ),
        ('@check(cites="x")\ndef a(*app): pass', "parameter 'app' must be a plain name"),
        ('@check(cites="x", needs="b")\ndef a(app): pass', "check 'a' needs 'b', which is no other check"),
        ('@check(cites="x", needs="a")\ndef a(app): pass', "check 'a' needs 'a', which is no other check"),
        (
            '@check(cites="x", needs="b")\ndef a(app): pass\n@check(cites="x", needs="a")\ndef b(app): pass',
            "these need each other in a circle: a > b > a",
        ),
        ("@scenario\ndef app(draw): pass\n" + GOOD, "scenario 'app': the name is taken"),
        (
            "@scenario\ndef s(draw): pass\n@scenario\ndef s(draw): pass\n" + GOOD,
            "scenario 's': the name is taken",
        ),
        ("@scenario\ndef s(t): pass\n@scenario\ndef t(s): pass\n" + GOOD, "in a circle: s > t > s"),
        ("import nothing_of_that_name\n", "importing it failed: ModuleNotFoundError"),
        ("def (", "importing it failed: SyntaxError"),
    ],
)
def test_what_is_no_list_of_checks_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)

    with pytest.raises(ChecksError) as caught:
        load_checks(path)

    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ChecksError, match="no such file; a task's checks are in"):
        load_checks(tmp_path / "checks.py")


def test_checks_are_only_made_while_loading() -> None:
    with pytest.raises(ChecksError, match="can only be loaded by"):
        check(cites="It holds.")(lambda app: None)
    with pytest.raises(ChecksError, match="can only be loaded by"):
        scenario(lambda app: None)
