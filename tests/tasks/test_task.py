"""Reading a task directory, and what is said when it does not keep the profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tasks.build import MINIATURE, copy_task, edit
from trialbalance.tasks import SUITE_GUID, ProfileError, find_task, find_tasks, load_task


def test_a_task_is_read_whole() -> None:
    task = load_task(MINIATURE)

    assert (task.name, task.full_name, task.version, task.major) == (
        "member-desk",
        "trialbalance/member-desk",
        "1-0",
        1,
    )
    assert task.app is not None
    assert (task.app.start, task.app.port, task.app.health) == ("python3 server.py", 4242, "/health")
    assert task.clock == 1_773_133_200  # 2026-03-10 09:00 UTC
    assert [overlay.name for overlay in task.alternates] == ["local-table", "urllib"]
    assert {mutant.kills for mutant in task.mutants} == {
        "customer-is-created",
        "email-is-needed",
        "repetition-creates-no-second",
        "front-page-is-kept",
    }
    assert len(task.requirements) == 4


def test_the_agent_sees_no_canary() -> None:
    task = load_task(MINIATURE)

    assert SUITE_GUID in (MINIATURE / "instruction.md").read_text()
    assert SUITE_GUID not in task.instruction
    assert task.instruction.startswith("# The member desk")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('schema_version = "1.4"', 'schema_version = "1.3"', "schema_version: invalid enum value"),
        ('version = "1-0"', 'version = "1.0"', "task.version: expected str matching regex"),
        (
            "timeout_sec = 120",
            'timeout_sec = "long"',
            'agent.timeout_sec: expected float, got str, but it is "long"',
        ),
        ("timeout_sec = 120", "timeout_sec = 0", "agent.timeout_sec: expected float > 0.0, but it is 0"),
        ("port = 4242", "port = 70000", "metadata.app.port: expected int <= 65535, but it is 70000"),
        ("port = 4242", "prot = 4242", "metadata.app.prot: no such key; did you mean port?"),
        ("[agent]", "[agnt]", "agnt: no such key; did you mean agent?"),
        ('description = "A', 'summary = "A', "task.summary: no such key; remove it"),
        ("expert_minutes = 10\n", "", "metadata.expert_minutes: it is missing; add it"),
        ('category = "backend"', 'category = "games"', "metadata.category: invalid enum value 'games'"),
        (
            'languages = ["python"]',
            "languages = [7]",
            "metadata.languages[0]: expected str, got int, but it is 7",
        ),
        ('"separate"', '"shared"', 'verifier.environment_mode: "shared" lets an agent reach its grader'),
        ('"no-network"', '"public"', 'environment.network_mode: "public" is not offline'),
        (
            "trialbalance/member-desk",
            "trialbalance/other",
            'task.name: "trialbalance/other" is not the directory',
        ),
        ('"What must be true"', '"What holds"', 'instruction.md has no heading "What holds"'),
        ('"What must be true"', '"The member desk", "Good to know", "Nothing"', 'has no heading "Nothing"'),
        (
            '"{secret_key}"',
            "5",
            'metadata.app.env[...]: expected str, got int (in metadata.app.env = {"STRIPE',
        ),
        ("{secret_key}", "{secret}", 'STRIPE_SECRET_KEY: "{secret}" has an unknown placeholder'),
        ("09:00:00Z", "09:00:00", "metadata.twin.clock: 2026-03-10T09:00:00 has no time zone"),
        ("2026-03-10", "1999-03-10", "metadata.twin.clock: 1999-03-10 09:00:00+00:00 is too early"),
        (
            "[agent]",
            '[metadata.database]\nkind = "sqlite"\npath = "../x.db"\n[agent]',
            "metadata.database.path",
        ),
        (
            "[agent]",
            '[metadata.database]\nkind = "postgresql"\npath = "pg"\n[agent]',
            "metadata.database.name",
        ),
        ("[agent]", '[[metadata.services]]\nname = "db"\nstart = "x"\nport = 4242\n[agent]', "use one port"),
        ("clock =", 'seed = "environment/none.json"\nclock =', "metadata.twin.seed: there is no file"),
        (
            "clock =",
            'webhook = "hook"\nclock =',
            'metadata.twin.webhook: no request of the seed is named "hook"',
        ),
        ('docker_image = "python:3.11-slim"\n', "", "environment/Dockerfile: it is missing"),
        ("[agent]", "[[steps]]\nname = 'one'\n[agent]", "steps: our tasks have one step"),
        ("[agent]", "[agent", "not TOML"),
        (
            "memory_mb",
            'env = { SHOP = "{shop.url}" }\nmemory_mb',
            'environment.env.SHOP: no request of the seed is named "shop"',
        ),
    ],
)
def test_a_wrong_task_toml_is_refused_in_one_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    directory = copy_task(tmp_path)
    edit(directory / "task.toml", old, new)

    with pytest.raises(ProfileError) as caught:
        load_task(directory)

    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith("member-desk/")
    assert message in text


def test_a_task_needs_something_to_grade(tmp_path: Path) -> None:
    directory = copy_task(tmp_path)
    text = (directory / "task.toml").read_text()
    start, end = text.index("[metadata.app]"), text.index("[metadata.twin]")
    (directory / "task.toml").write_text(text[:start] + text[end:])

    with pytest.raises(ProfileError, match="neither app nor submission"):
        load_task(directory)


@pytest.mark.parametrize(
    "name",
    [
        "instruction.md",
        "task.toml",
        "AUDIT.md",
        "README.md",
        "solution/solve.sh",
        "tests/checks.py",
        "tests/test.sh",
    ],
)
def test_every_part_must_be_there(tmp_path: Path, name: str) -> None:
    directory = copy_task(tmp_path)
    (directory / name).unlink()

    with pytest.raises(ProfileError, match=f"member-desk/{name}: it is missing"):
        load_task(directory)


def test_a_part_must_not_be_empty(tmp_path: Path) -> None:
    directory = copy_task(tmp_path)
    (directory / "AUDIT.md").write_text("\n")

    with pytest.raises(ProfileError, match=r"member-desk/AUDIT\.md: it is empty"):
        load_task(directory)


def test_a_task_holds_no_links(tmp_path: Path) -> None:
    directory = copy_task(tmp_path)
    (directory / "environment" / "app" / "hosts").symlink_to("/etc/hosts")

    with pytest.raises(ProfileError, match="environment/app/hosts: a symbolic link"):
        load_task(directory)


def test_an_absent_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="nowhere: no such directory"):
        load_task(tmp_path / "nowhere")


def test_tasks_are_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy_task(tmp_path, "second-desk")
    copy_task(tmp_path, "first-desk")
    (tmp_path / "notes").mkdir()

    assert [task.name for task in find_tasks(tmp_path)] == ["first-desk", "second-desk"]
    assert find_task("second-desk", tmp_path).name == "second-desk"
    assert find_task(str(tmp_path / "first-desk")).name == "first-desk"
    with pytest.raises(ProfileError, match="third-desk: no such task; there are: first-desk, second-desk"):
        find_task("third-desk", tmp_path)
    monkeypatch.setenv("TRIALBALANCE_TASKS", str(tmp_path))
    assert [task.name for task in find_tasks()] == ["first-desk", "second-desk"]


def test_a_digest_covers_every_file_but_the_proof(tmp_path: Path) -> None:
    directory = copy_task(tmp_path)
    before = load_task(directory)

    (directory / "soundness.json").write_text("{}")
    (directory / "tests" / "__pycache__").mkdir()
    (directory / "tests" / "__pycache__" / "checks.pyc").write_bytes(b"x")
    assert load_task(directory).digest == before.digest

    (directory / "README.md").write_text("changed")
    changed = load_task(directory)
    assert changed.digest != before.digest
    assert changed.environment_digest == before.environment_digest

    (directory / "environment" / "prepare.sh").chmod(0o755)
    assert load_task(directory).environment_digest != before.environment_digest
