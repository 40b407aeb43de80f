"""The body of a request: what is asked, in the words of the server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evenhand.errors import UsageError
from evenhand.models._protocol import GenerationSettings
from evenhand.models._spec import Json, ModelSpec
from evenhand.prompts import Message

Table = dict[str, Json]


def parameters(spec: ModelSpec, settings: GenerationSettings) -> Table:
    """Everything of a request beside its messages.

    A split budget keeps ``split_completion`` tokens for the answer and gives the rest of the
    output budget to reasoning (C.2); any other model shares one budget.

    Raises:
        UsageError: If the output budget is not larger than the part kept for the answer.
    """
    body: Table = {"model": spec.name.partition("/")[2]}
    cap, reasoning = settings.output_budget, spec.reasoning_budget
    if spec.split_completion is not None:
        cap, reasoning = spec.split_completion, own_reasoning_budget(spec, settings.output_budget)
    body[spec.cap_field] = cap
    if spec.temperature:
        body["temperature"] = settings.temperature
    if spec.seed_field and settings.seed is not None:
        body[spec.seed_field] = settings.seed
    if spec.stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    if spec.json_schema and settings.json_schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "reply", "strict": True, "schema": dict(settings.json_schema)},
        }
    if reasoning is not None and spec.budget_field is not None:
        _set(body, spec.budget_field, reasoning)
    if spec.effort is not None and spec.effort_field is not None:
        _set(body, spec.effort_field, spec.effort)
    return laid_over(body, spec.body)


def own_reasoning_budget(spec: ModelSpec, output_budget: int) -> int | None:
    """Tokens that reasoning may use without taking the answer's; None where the two share all.

    That is what a split budget leaves, or a cap on reasoning below the output budget.

    Raises:
        UsageError: If the output budget is not larger than the part kept for the answer.
    """
    if spec.split_completion is not None:
        if output_budget <= spec.split_completion:
            raise UsageError(
                f"{spec.name} keeps {spec.split_completion} tokens for its answer: "
                f"an output budget of {output_budget} leaves none for reasoning"
            )
        return output_budget - spec.split_completion
    cap = spec.reasoning_budget
    return cap if cap is not None and cap < output_budget else None


def wire_messages(messages: Sequence[Message]) -> list[dict[str, str]]:
    """Messages as the API takes them; lone surrogates, which JSON cannot carry, are refused."""
    for at, message in enumerate(messages):
        try:
            message.content.encode("utf-8")
        except UnicodeEncodeError as error:
            raise UsageError(
                f"message {at + 1} holds a lone surrogate at character {error.start}: "
                "no server can be sent this text; repair the record it comes from"
            ) from None
    return [{"role": message.role, "content": message.content} for message in messages]


def _set(body: Table, path: str, value: Json) -> None:
    *tables, name = path.split(".")
    for table in tables:
        inner = body.setdefault(table, {})
        if not isinstance(inner, dict):
            raise UsageError(f"the catalog's field {path} runs through {table}, which is no table")
        body = inner
    body[name] = value


def laid_over(below: Mapping[str, Json], above: Mapping[str, Json]) -> Table:
    """The upper table wins field by field; tables within merge."""
    both = dict(below)
    for name, value in above.items():
        old = both.get(name)
        both[name] = (
            laid_over(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
        )
    return both
