"""What goose is told: a recipe with the instruction and one extension, our tools."""

import json

EXTENSION = "trial"
"""goose calls our tools `trial__terminal` and so on."""

_GUIDE = (
    f"Work through the tools of the extension `{EXTENSION}`: they act on the project's machine, where the project is in"
    " /app. Nobody can answer questions: decide for yourself, finish the task, and check your work before you end."
)
_TOOL_SECONDS = 3_700
"""A little more than the longest command may take."""


def write_recipe(instruction: str, command: list[str]) -> str:
    """A recipe in JSON. goose reads recipes as templates first, so every `{` of the instruction is written as a
    template that prints one."""
    extension = {
        "type": "stdio",
        "name": EXTENSION,
        "description": "Terminal, browser and documentation",
        "cmd": command[0],
        "args": command[1:],
        "timeout": _TOOL_SECONDS,
    }
    quoted = json.dumps(instruction, ensure_ascii=False).replace("{", "{{'{'}}")
    head = {"version": "1.0.0", "title": "trial", "description": "One trial", "instructions": _GUIDE}
    rest = json.dumps({**head, "extensions": [extension]}, ensure_ascii=False)
    return f'{rest[:-1]}, "prompt": {quoted}}}\n'
