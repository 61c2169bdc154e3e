"""What one tool call of an agent was for, told from its name and arguments alone.

The rules are lists of well-known programs and shell idioms. They are a reading aid and never part of a score.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

#: Purposes a call may have, several at once.
EDIT, TEST, BROWSE, QUERY = "edit", "test", "browse", "query"

_EDIT_TOOLS = {
    "write",
    "write_file",
    "edit",
    "edit_file",
    "multiedit",
    "text_editor",
    "str_replace",
    "apply_patch",
    "patch",
}
_SHELL_TOOLS = {"terminal", "shell", "bash", "execute", "exec_command", "run_command", "local_shell"}
_BROWSER = re.compile(r"(^|_)(browser|navigate|screenshot|click)(_|$)")

_EDIT_SHELL = re.compile(
    r"""(?:^|[^0-9&>])>{1,2}\s*(?!/dev/null|&|\s)\S          # a redirection into a file
      | \btee\s+(?!/dev/)                                    # tee FILE
      | \bsed\s+(?:-[A-Za-z]*\s+)*-[A-Za-z]*i | \bperl\s+-\w*i
      | \bpatch\s+-p | \bgit\s+(?:apply|checkout|restore|revert|stash)\b
      | (?:^|[;&|]\s*)(?:mv|cp|rm|ln|touch|mkdir|chmod|rsync)\s
      | \.write_text\( | \bopen\([^)]*['"][wa]b?['"]\) | \bwriteFile(?:Sync)?\(
    """,
    re.VERBOSE | re.MULTILINE,
)
_TEST_SHELL = re.compile(
    r"""\b(?:pytest|unittest|tox|nox|jest|vitest|mocha|ava|rspec|phpunit|minitest|ctest)\b
      | \b(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:test|check|e2e)\b | \bnode\s+--test\b
      | \b(?:go|cargo|dotnet|mvn|gradle|\./gradlew|mix|deno|rake|rails)\s+(?:\S+\s+)?test\b
      | \bmake\s+(?:test|check)\b | \bplaywright\s+test\b | \bmanage\.py\s+test\b
    """,
    re.VERBOSE,
)
_QUERY_SHELL = re.compile(
    r"\b(?:curl|wget|http|https|xh|httpie)\s+\S|\bstripe\s+\w+|\b(?:requests|httpx)\.(?:get|post)\(|\bfetch\("
)
_ERROR = re.compile(
    r"""Traceback\ \(most\ recent\ call\ last\) | :\ command\ not\ found | \bNo\ such\ file\ or\ directory
      | ^(?:\w+\.)*\w*(?:Error|Exception):\  | ^npm\ (?:ERR!|error) | \b[1-9]\d*\ (?:failed|failing)\b
      | \bexit(?:ed)?(?:[ _]with)?[ _](?:code|status)["']?\s*[:=]?\s*[1-9]\d* | \btimed\ out\ after\b
      | \bHTTP/[\d.]+\ [45]\d\d\b
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)


def tool_name(function_name: str) -> str:
    """The tool without the prefix that a client puts before it: `trial__terminal` is `terminal`."""
    return re.split(r"__|\.", function_name)[-1].lower()


def command_of(arguments: Mapping[str, Any]) -> str:
    """The shell command or text of a call, "" when there is none."""
    for key in ("command", "cmd", "script", "code", "input"):
        value = arguments.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return " ".join(str(part) for part in value)
    return ""


def purposes(function_name: str, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """What a call was for, in the order in which a shell line would do it: it edits before it tests."""
    name = tool_name(function_name)
    if name in _EDIT_TOOLS:
        return () if arguments.get("command") in {"view", "undo_edit"} else (EDIT,)
    if name in _SHELL_TOOLS:
        command = command_of(arguments)
        found = []
        if _EDIT_SHELL.search(command):
            found.append(EDIT)
        outside_heredocs = re.sub(
            r"<<-?\s*['\"]?(\w+)['\"]?.*?^\s*\1\s*$", "", command, flags=re.DOTALL | re.MULTILINE
        )
        if _TEST_SHELL.search(outside_heredocs):
            found.append(TEST)
        if _QUERY_SHELL.search(outside_heredocs):
            found.append(QUERY)
        return tuple(found)
    if _BROWSER.search(name):
        return (BROWSE,)
    return ()


def family(function_name: str, arguments: Mapping[str, Any]) -> str:
    """What a call may be compared with: the tool, and for a shell the program of its last command."""
    name = tool_name(function_name)
    if name not in _SHELL_TOOLS:
        return name
    last = re.split(r"&&|\|\||;|\n", command_of(arguments).strip())[-1].strip()
    words = [
        word
        for word in last.split()
        if "=" not in word and word not in {"cd", "sudo", "time", "timeout", "env"}
    ]
    return f"{name} {words[0]}" if words else name


def looks_failed(output: str) -> bool:
    """Whether a tool's output reports an error."""
    return bool(_ERROR.search(output))
