"""The terminal behaves as one shell, and nothing that a command does can end it."""

import threading
import time
from pathlib import Path

import pytest

from tests.tools.plain import Done, PlainSandbox
from trialbalance.tools import Terminal, ToolFailure


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(PlainSandbox(tmp_path), directory=str(tmp_path), temporary=str(tmp_path))


def test_a_command_shows_output_errors_and_exit_code(terminal: Terminal) -> None:
    assert str(terminal.run("echo out; echo err >&2")) == "out\nerr\n[exit code 0]"
    assert str(terminal.run("exit 3")) == "[exit code 3]"
    assert terminal.run("no-such-program").exit_code == 127


def test_directory_variables_functions_aliases_and_options_are_kept(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.run(
        "mkdir 'a b'; cd 'a b'; export ONE='1 \"one\"'; TWO=(x 'y z'); name=$'l1\\nl2'; declare -i N=4"
    )
    terminal.run("greet() { echo \"hello $1\"; }; alias ll='echo listed'; shopt -s nullglob; umask 027")
    said = terminal.run('pwd; echo "$ONE|${TWO[1]}|$name|$N"; greet you; ll; echo *.none; umask')
    assert said.output.splitlines() == [
        f"{tmp_path}/a b",
        '1 "one"|y z|l1',
        "l2|4",
        "hello you",
        "listed",
        "",
        "0027",
    ]
    assert said.notes == (f"directory {tmp_path}/a b",)
    assert terminal.run("bash -c 'echo \"$ONE|$N\"'").output == '1 "one"|\n'


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("exit 4", 4),
        ("set -e; false; echo never", 1),
        ("echo 'unclosed", 2),
        ("if true; then", 2),
        ("exec false", 1),
        ("kill -TERM $$", 143),
        ("set -u; echo $UNSET", 127),
        ("exec >/dev/null 2>&1; false", 1),
        ("trap 'true' EXIT; exit 5", 5),
    ],
)
def test_no_command_ends_the_terminal(terminal: Terminal, command: str, code: int) -> None:
    terminal.run("KEPT=yes; cd /")
    assert terminal.run(command).exit_code == code
    assert terminal.run("set +eu; echo $KEPT $PWD").output == "yes /\n"


def test_options_are_kept_like_in_a_shell(terminal: Terminal) -> None:
    assert terminal.run("set -eo pipefail").exit_code == 0
    assert terminal.run("false | true; echo never").output == ""


def test_there_is_no_keyboard(terminal: Terminal) -> None:
    assert terminal.run("cat; read x || echo none; test -t 0 -o -t 1 || echo no terminal").output == (
        "none\nno terminal\n"
    )


def test_a_background_process_goes_on_and_does_not_hold_the_call(terminal: Terminal, tmp_path: Path) -> None:
    begun = time.monotonic()
    said = terminal.run("mkfifo go; (cat go; echo finished) & echo started")
    assert said.output == "started\n" and time.monotonic() - begun < 20
    (note,) = said.notes
    assert "1 process is still running in the background; later output goes to" in note
    log = Path(note.rsplit(" ", 1)[1])
    assert log.read_text() == "started\n"
    assert terminal.run(f"echo now > go; until grep -q finished {log}; do :; done", 20).exit_code == 0
    assert log.read_text() == "started\nnow\nfinished\n"


def test_long_output_keeps_its_ends_and_is_kept_whole_in_a_file(terminal: Terminal) -> None:
    said = terminal.run("seq 1 20000")
    assert said.output.startswith("1\n2\n3\n") and said.output.endswith("19999\n20000\n")
    assert len(said.output) < 25_000
    assert "[… 84894 bytes left out here; the whole output is in " in said.output
    path = said.output.split("the whole output is in ")[1].split(" ")[0]
    assert terminal.run(f"wc -l < {path}").output == "20000\n"


def test_output_that_is_no_text_does_no_harm(terminal: Terminal) -> None:
    assert terminal.run("printf 'a\\0b\\377c'").output == "a\0b\ufffdc"
    assert terminal.run("echo fine").output == "fine\n"


def test_a_command_that_takes_too_long_is_killed_and_shows_what_it_said(terminal: Terminal) -> None:
    terminal.run("KEPT=yes")
    said = terminal.run("KEPT=no; echo begun; sleep 1000", 0.5)
    assert said.exit_code is None and said.output == "begun\n"
    assert "[killed after 0.5 s with all it had started" in str(said)
    assert terminal.run("echo $KEPT").output == "yes\n"


def test_long_output_of_a_killed_command(terminal: Terminal) -> None:
    said = terminal.run("seq 1 20000; sleep 1000", 2)
    assert said.output.startswith("1\n2\n") and said.output.endswith("20000\n")
    assert "84894 bytes left out" in said.output


def test_a_command_can_be_interrupted_from_another_thread(terminal: Terminal, tmp_path: Path) -> None:
    terminal.interrupt()  # nothing runs: nothing happens
    (tmp_path / "go").touch()
    seen: list[str] = []
    runner = threading.Thread(target=lambda: seen.append(str(terminal.run("echo a; rm go; sleep 1000"))))
    runner.start()
    while (tmp_path / "go").exists():
        time.sleep(0)
    terminal.interrupt()
    runner.join(20)
    assert seen == ["a\n[no exit code]\n[killed from outside]"]


def test_a_long_script_is_no_problem(terminal: Terminal) -> None:
    text = "x" * 300_000
    assert terminal.run(f"cat > big <<'END'\n{text}\nEND\nwc -c < big").output == "300001\n"


@pytest.mark.parametrize(
    ("command", "seconds", "said"),
    [
        (" ", 1, "the command is empty"),
        ("a\0b", 1, "NUL character"),
        ("true", 0, "timeout 0: write seconds, more than 0 and at most 3600"),
        ("true", 9999, "timeout 9999"),
    ],
)
def test_what_cannot_be_run_is_explained(terminal: Terminal, command: str, seconds: float, said: str) -> None:
    with pytest.raises(ToolFailure, match=said):
        terminal.run(command, seconds)


def test_a_sandbox_without_a_shell_is_explained(tmp_path: Path) -> None:
    class Broken(PlainSandbox):
        def exec(self, *args: object, **options: object) -> Done:
            return Done(127, "", "bash: not found\n")

    with pytest.raises(ToolFailure, match="the shell did not start: bash: not found"):
        Terminal(Broken(tmp_path)).run("true")
