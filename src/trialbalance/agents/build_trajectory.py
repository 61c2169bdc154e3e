"""Joins what passed the gateway with what the tools answered into a trajectory."""

import base64
import binascii
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trialbalance.agents.trajectory import (
    VERSION,
    AgentInfo,
    Content,
    ContentPart,
    FinalMetrics,
    ImageSource,
    Metrics,
    Observation,
    Result,
    Step,
    ToolCall,
    Trajectory,
    timestamp,
)
from trialbalance.agents.transcript import ToolAnswer, Transcript
from trialbalance.gateway import Answered, Call, Totals, Turn
from trialbalance.gateway.dialects import dialect_named


def build_trajectory(
    *,
    session: str,
    agent: str,
    version: str,
    instruction: str,
    started: float,
    answered: Sequence[Answered],
    transcript: Transcript,
    totals: Totals,
    pictures: Path,
    notes: str = "",
) -> Trajectory:
    """A step for the instruction, for every answer of the model, and for what the harness said by itself.

    Pictures are written into the folder `pictures`, beside which the trajectory will be. Steps get their tokens and
    cost from the gateway, and the tools' answers from the harness's transcript.
    """
    steps = _Steps(transcript, pictures)
    steps.add(Step(step_id=0, timestamp=timestamp(started), source="user", message=instruction))
    made = 0
    for call, turn in answered:
        if turn is not None:
            steps.notices(made)
            steps.turn(call, turn)
            made += 1
        if call.error is not None:
            steps.trouble(call, call.error.message)
    steps.notices(None)
    usage = totals.usage
    model = answered[0].call.model if answered else None
    return Trajectory(
        schema_version=VERSION,
        session_id=session,
        agent=AgentInfo(name=agent, version=version, model_name=model, tool_definitions=_tools(answered)),
        steps=steps.steps,
        notes=notes or None,
        final_metrics=FinalMetrics(
            total_prompt_tokens=usage.prompt_tokens,
            total_completion_tokens=usage.completion_tokens,
            total_cached_tokens=usage.cached_tokens,
            total_cost_usd=totals.cost_usd,
            total_steps=len(steps.steps),
        ),
    )


class _Steps:
    """Numbers steps as they come."""

    def __init__(self, transcript: Transcript, pictures: Path) -> None:
        self.steps: list[Step] = []
        self._transcript = transcript
        self._notices = list(transcript.notices)
        self._pictures = pictures
        self._picture = 0
        self._trouble = ""

    def add(self, step: Step) -> None:
        """Append a step with the next number."""
        fields = {name: getattr(step, name) for name in step.__struct_fields__}
        self.steps.append(Step(**{**fields, "step_id": len(self.steps) + 1}))

    def turn(self, call: Call, turn: Turn) -> None:
        """An answer of the model with what its calls brought."""
        results = [
            Result(source_call_id=asked.id, content=self._content(answer))
            for asked in turn.calls
            if (answer := self._transcript.take_answer(asked.id)) is not None
        ]
        calls = [
            ToolCall(tool_call_id=asked.id, function_name=asked.name, arguments=asked.arguments_object)
            for asked in turn.calls
        ]
        self.add(
            Step(
                step_id=0,
                timestamp=timestamp(call.at + call.latency),
                source="agent",
                model_name=turn.model or call.model,
                message=turn.text,
                reasoning_content=turn.reasoning or None,
                tool_calls=calls or None,
                observation=Observation(results=results) if results else None,
                metrics=_metrics(call),
            )
        )

    def trouble(self, call: Call, message: str) -> None:
        """What went wrong with a call, once for many tries."""
        if message != self._trouble or self.steps[-1].source != "system":
            at = timestamp(call.at + call.latency)
            self.add(
                Step(step_id=0, timestamp=at, source="system", message=f"A model call failed: {message}")
            )
        self._trouble = message

    def notices(self, made: int | None) -> None:
        """What the harness said before the model's next answer; all that is left for None. What only repeats how a
        call failed is left out."""
        while self._notices and (made is None or self._notices[0].after <= made):
            text = self._notices.pop(0).text
            if not self._trouble or self._trouble not in text:
                self.add(Step(step_id=0, source="system", message=text))

    def _content(self, answer: ToolAnswer) -> Content:
        if not answer.pictures:
            return answer.text
        parts = [ContentPart(type="text", text=answer.text)] if answer.text else []
        for picture in answer.pictures:
            path = self._keep(picture.data, picture.media_type)
            if path is not None:
                source = ImageSource(media_type=picture.media_type, path=path)
                parts.append(ContentPart(type="image", source=source))
        return parts

    def _keep(self, data: str, media_type: str) -> str | None:
        try:
            raw = base64.b64decode(data, validate=True)
        except binascii.Error:
            return None
        self._picture += 1
        name = f"{self._picture:03}.{'jpg' if media_type == 'image/jpeg' else 'png'}"
        self._pictures.mkdir(parents=True, exist_ok=True)
        (self._pictures / name).write_bytes(raw)
        return f"{self._pictures.name}/{name}"


def _metrics(call: Call) -> Metrics:
    extra: dict[str, Any] = {"latency": call.latency}
    if call.attempts > 1:
        extra["attempts"] = call.attempts
    if call.usage.cache_write_tokens:
        extra["cache_write_tokens"] = call.usage.cache_write_tokens
    return Metrics(
        prompt_tokens=call.usage.prompt_tokens,
        completion_tokens=call.usage.completion_tokens,
        cached_tokens=call.usage.cached_tokens,
        cost_usd=call.cost_usd,
        extra=extra,
    )


def _tools(answered: Sequence[Answered]) -> list[dict[str, Any]] | None:
    """The tools as the agent first offered them to its model."""
    for call, _ in answered:
        tools = call.request.get("tools")
        if isinstance(tools, list) and tools:
            return [tool for tool in tools if isinstance(tool, dict)]
    return None


def offered(answered: Sequence[Answered]) -> tuple[str, ...]:
    """The names of the tools that the agent first offered to its model."""
    for call, _ in answered:
        tools = dialect_named(call.dialect).conversation(call.request).tools if call.request else ()
        if tools:
            return tools
    return ()
