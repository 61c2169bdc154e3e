"""The site shows every trial, opens from the file system, and takes nothing an agent wrote for anything but text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from tests.report.sample import NASTY, make_job

from trialbalance.report.folder import JobFolder
from trialbalance.report.site import write_site
from trialbalance.trials.files import write_whole

TRIAL = "card-element-to-checkout__goose-large-1__1"
AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("jobs") / "20260101-000000"
    make_job(folder)
    write_site(JobFolder(folder))
    return folder


def page_of(site: Path, trial: str = TRIAL) -> str:
    return (site / "report" / f"{trial}.html").read_text()


def test_every_trial_has_a_page_and_every_link_a_target(site: Path) -> None:
    pages = [site / "index.html", *sorted((site / "report").glob("*.html"))]
    assert len(pages) == 33
    for page in pages:
        html = page.read_text()
        ids = set(re.findall(r' id="([^"]+)"', html))
        for target in re.findall(r'(?:href|src)="([^"]+)"', html):
            if target.startswith("data:"):
                continue
            path, _, fragment = target.partition("#")
            assert not re.match(r"^(\w+:|//|/)", target), f"{page.name} leaves the job folder: {target}"
            if path:
                assert (page.parent / path).exists(), f"{page.name}: {target}"
            elif fragment:
                assert fragment in ids, f"{page.name}: {target}"


def test_a_failing_check_is_one_click_away(site: Path) -> None:
    html = (site / "index.html").read_text()
    assert f'href="report/{TRIAL}.html#check-amount-is-the-cart-total"' in html
    assert 'id="check-amount-is-the-cart-total"' in page_of(site)


def test_what_an_agent_wrote_is_text(site: Path) -> None:
    html = page_of(site)
    assert NASTY not in html
    assert "&lt;script&gt;alert(" in html
    assert html.count("<script>") == 1


def test_pages_hold_the_evidence(site: Path) -> None:
    html = page_of(site)
    for part in (
        "Reward 0",
        "4 of 6 required checks",
        "twice fulfils the order once",
        "/v1/checkout/sessions",
        "line_items",
    ):
        assert part in html
    assert "Claimed more than it delivered" in html
    assert "Flagged." in html and "too large" in html
    assert "<dt>to the cent</dt><dd>25 %</dd>" in html


def test_an_invalid_trial_says_why(site: Path) -> None:
    html = page_of(site, "subscription-upgrades__goose-large-1__4")
    assert "overloaded" in html and "This trial was not graded." in html
    assert "subscription-upgrades__goose-large-1__4" in (site / "index.html").read_text()


def test_the_same_job_gives_the_same_bytes(site: Path) -> None:
    before = {path.name: path.read_bytes() for path in site.glob("**/*.html")}
    write_site(JobFolder(site))
    assert {path.name: path.read_bytes() for path in site.glob("**/*.html")} == before


@pytest.mark.parametrize(
    "name",
    [
        "agent/trajectory.json",
        "grader/metrics.json",
        "events.jsonl",
        "twin/journal.jsonl",
        "agent/workspace.diff",
    ],
)
@pytest.mark.parametrize(
    "content", [b"", b"{", b"[1, 2]\n", b'{"steps": 3, "checks": "x"}\n', b"\xff\xfe\x00"]
)
def test_broken_files_never_break_the_report(tmp_path: Path, name: str, content: bytes) -> None:
    make_job(tmp_path / "job", samples=1)
    write_whole(tmp_path / "job" / TRIAL / name, content)
    assert write_site(JobFolder(tmp_path / "job")).exists()


def test_an_unfinished_job_says_how_to_go_on(tmp_path: Path) -> None:
    make_job(tmp_path / "job", samples=1)
    lines = (tmp_path / "job" / "results.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "job" / "results.jsonl").write_text("".join(lines[:3]))
    html = write_site(JobFolder(tmp_path / "job")).read_text()
    assert "5 trials of this job have not run yet" in html


def test_a_job_without_results_has_a_page(tmp_path: Path) -> None:
    make_job(tmp_path / "job", samples=1)
    (tmp_path / "job" / "results.jsonl").write_text("")
    assert "0 trials" in write_site(JobFolder(tmp_path / "job")).read_text()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(params=["light", "dark"])
def page(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    context = chromium.new_context(color_scheme=request.param)
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request",
        lambda sent: problems.append(sent.url) if not sent.url.startswith(("file:", "data:")) else None,
    )
    yield page
    context.close()
    assert problems == []


@pytest.mark.browser
@pytest.mark.parametrize("path", ["index.html", f"report/{TRIAL}.html"])
@pytest.mark.parametrize("width", [1280, 390])
def test_pages_are_accessible_and_fit_their_window(site: Path, page: Page, path: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto((site / path).as_uri())
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.context.new_cdp_session(page).send("Page.setBypassCSP", {"enabled": True})
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
    assert [(v["id"], v["nodes"][0]["html"]) for v in found["violations"]] == []


@pytest.mark.browser
def test_the_requests_can_be_filtered(site: Path, page: Page) -> None:
    page.goto((site / "report" / f"{TRIAL}.html").as_uri())
    shown = page.locator("#journal .entry:visible")
    assert shown.count() == 5
    page.get_by_label("Filter").fill("sessions order-17")
    assert shown.count() == 1
    page.get_by_label("Filter").fill("")
    page.get_by_label("errors only").check()
    assert shown.count() == 1 and "Invalid mode" in shown.inner_text()
    page.get_by_label("errors only").uncheck()
    page.get_by_label("Kind").select_option("webhook")
    assert page.get_by_text("1 shown").is_visible()


@pytest.mark.browser
def test_a_link_opens_what_it_points_at(site: Path, page: Page) -> None:
    page.goto((site / "report" / f"{TRIAL}.html").as_uri() + "#check-secret-key-stays-on-the-server")
    assert page.locator("#check-secret-key-stays-on-the-server .trail").is_visible()
    page.locator("#checks").get_by_role("button", name="Expand all").click()
    assert page.locator("#checks .check[open]").count() == 6
    page.locator("#checks").get_by_role("button", name="Collapse all").click()
    assert page.locator("#checks .check[open]").count() == 0


@pytest.mark.browser
def test_the_theme_can_be_switched(site: Path, page: Page) -> None:
    page.goto((site / "index.html").as_uri())
    colour = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(colour)
    page.get_by_role("button", name="Switch between light and dark").click()
    assert page.evaluate(colour) != before
