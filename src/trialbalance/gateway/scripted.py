"""Plays a script in a model's place."""

import re
from pathlib import Path

import msgspec

from trialbalance.gateway.conversation import Conversation, ToolCall, Turn, Usage
from trialbalance.gateway.digest import normalise
from trialbalance.gateway.errors import CallRefused, ReplayDiverged
from trialbalance.gateway.fault import classify
from trialbalance.gateway.model import Provider
from trialbalance.gateway.reply import Reply
from trialbalance.gateway.script import ScriptedTurn, fill, load_script

_CHARACTERS_PER_TOKEN = 4


class ScriptedModel:
    """Answers with the script's turns, one after another."""

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._script = load_script(path)
        self._next = 0
        self._asides = 0
        self._captured: dict[str, str] = {}
        self._called: frozenset[str] = frozenset()

    @property
    def model(self) -> str:
        """The name that the script gives."""
        return self._script.model

    @property
    def provider(self) -> Provider:
        """Any would do; this is the kind that most agents know."""
        return "openai"

    def answer(self, conversation: Conversation) -> Reply:
        """The next turn. A request that offers no tools is an aside and uses no turn."""
        if not conversation.tools:
            self._asides += 1
            text = self._script.aside
            return Reply(
                self._turn(f"scripted-aside-{self._asides}", conversation, ScriptedTurn(text=text)), None
            )
        if self._next >= len(self._script.turns):
            count = len(self._script.turns)
            raise ReplayDiverged(
                f"the script {self._name} ends after turn {count}, and the agent asks for another"
            )
        turn = self._script.turns[self._next]
        number = self._next + 1
        self._listen(turn, number, conversation)
        self._next += 1
        if turn.error is not None:
            fault = classify(turn.error.status, {"error": {"message": turn.error.message}})
            raise CallRefused(fault.kind, fault.message, turn.error.status)
        answer = self._turn(f"scripted-{number}", conversation, turn)
        self._called = frozenset(call.id for call in answer.calls)
        return Reply(answer, None)

    def _listen(self, turn: ScriptedTurn, number: int, conversation: Conversation) -> None:
        heard = "\n".join(result.text for result in conversation.new_results(self._called))
        for expression in turn.expected:
            if not re.search(expression, heard, re.MULTILINE):
                raise ReplayDiverged(self._unheard(number, f"expects {expression!r}", heard))
        for name, expression in turn.capture.items():
            matches = list(re.finditer(expression, heard, re.MULTILINE))
            if not matches:
                raise ReplayDiverged(self._unheard(number, f"captures {name} with {expression!r}", heard))
            self._captured[name] = matches[-1].group(1 if matches[-1].re.groups else 0) or ""

    def _unheard(self, number: int, wish: str, heard: str) -> str:
        said = " ".join(heard.split())
        shown = said if len(said) <= 300 else f"{said[:150]} … {said[-150:]}"
        return (
            f"turn {number} of the script {self._name} {wish}, but the tools answered: {shown or 'nothing'}"
        )

    def _turn(self, id: str, conversation: Conversation, turn: ScriptedTurn) -> Turn:
        calls = tuple(
            ToolCall(
                id=f"call_{id.removeprefix('scripted-')}_{index}",
                name=self._tool(call.tool, conversation),
                arguments=fill(call.arguments, self._captured),
            )
            for index, call in enumerate(turn.calls, 1)
        )
        answer = Turn(
            id=id,
            model=self.model,
            text=fill(turn.text, self._captured),
            reasoning=turn.reasoning,
            calls=calls,
            stop=turn.stop or ("tool_calls" if calls else "stop"),
        )
        return msgspec.structs.replace(answer, usage=turn.usage or _estimate(conversation, answer))

    def _tool(self, name: str, conversation: Conversation) -> str:
        if name in conversation.tools:
            return name
        found = [tool for tool in conversation.tools if tool.endswith(f"__{name}")]
        if len(found) == 1:
            return found[0]
        problem = "several tools end so" if found else "the agent offers no such tool"
        offered = ", ".join(sorted(conversation.tools))
        raise ReplayDiverged(f"the script {self._name} calls {name!r}, but {problem}; on offer: {offered}")


def _estimate(conversation: Conversation, turn: Turn) -> Usage:
    """Tokens of a call that no provider counted: four characters each, the same on every run."""
    sent = len(normalise(conversation.system))
    for message in conversation.messages:
        sent += len(normalise(message.text)) + sum(len(normalise(result.text)) for result in message.results)
        sent += sum(len(call.arguments_json) for call in message.calls)
    said = len(turn.text) + len(turn.reasoning) + sum(len(call.arguments_json) for call in turn.calls)
    return Usage(
        prompt_tokens=sent // _CHARACTERS_PER_TOKEN, completion_tokens=said // _CHARACTERS_PER_TOKEN + 1
    )
