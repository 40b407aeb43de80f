"""A whole completion read into a :class:`Generation`, or into the error it hides."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.models._http._faults import Sent, fault
from evenhand.models._http._reasoning import read_voice
from evenhand.models._http._usage import read_cost, read_usage
from evenhand.models._keys import redact
from evenhand.models._protocol import Generation, TransientError
from evenhand.models._spec import Json

_FINISH = {
    "stop": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "completed": "stop",
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "max_completion_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "prohibited_content": "content_filter",
    "blocklist": "content_filter",
    "recitation": "content_filter",
    "sensitive": "content_filter",
}
"""Finish reasons by their lower-cased words; any other is kept as it came."""

UNKNOWN_FINISH = "unknown"


def read_reply(
    body: Json, sent: Sent, *, cap: int, latency_s: float = 0.0, upstream: str | None = None
) -> Generation:
    """Read one completion.

    Args:
        body: The decoded reply, or its text where it is not JSON.
        sent: The request.
        cap: Output tokens asked for; a reply that used as many was cut, whatever it says.
        latency_s: Seconds the call took.
        upstream: Who served it, as the headers say.

    Raises:
        ModelError: If the reply holds an error, or no completion.
    """
    name = sent.spec.name
    if not isinstance(body, Mapping):
        text = body if isinstance(body, str) else ""
        kind = "an HTML page" if "<html" in text[:1000].lower() else "no JSON object"
        raise TransientError(
            f"{name}: the reply is {kind}: {sent.brief(text) or 'it is empty'}", may_cost=True
        )
    if body.get("error"):
        raise _hidden_error(body["error"], sent, began=body.get("began") is True)
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, Mapping):
        raise TransientError(f"{name}: the reply has no choices", may_cost=True)
    if isinstance(inner := choice.get("error"), Mapping):
        raise _hidden_error(dict(inner), sent, began=True)
    finish = _finish(choice.get("finish_reason"))
    if finish == "error":
        raise TransientError(
            f"{name}: the server gave up while writing (finish reason error)", may_cost=True
        )
    message = choice.get("message")
    message = message if isinstance(message, Mapping) else {}
    voice = read_voice(message, sent.spec.reasoning_place)
    text = voice.text
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal and not text:
        text, finish = refusal, "refusal"
    # Nothing visible, thinking without an end, or a budget used up: cut, whatever it is called.
    nothing = not text and (voice.reasoning is not None or message.get("content") in (None, []))
    usage = read_usage(body.get("usage"))
    split = sent.spec.split_completion is not None
    spent = not split and (usage.output_tokens or 0) >= cap
    if finish in ("stop", UNKNOWN_FINISH) and (nothing or voice.unfinished or spent):
        finish = "length"
    return Generation(
        text=redact(text, sent.secrets),
        finish_reason=finish,
        reasoning=None if voice.reasoning is None else redact(voice.reasoning, sent.secrets),
        reasoning_source=voice.source,
        usage=usage,
        parameters=dict(sent.parameters),
        upstream=_served_by(body, sent, upstream),
        cost_usd=read_cost(body.get("usage")),
        latency_s=latency_s,
    )


def _served_by(body: Mapping[str, Json], sent: Sent, header: str | None) -> str | None:
    """Who served the call: the provider, and the model where it is not the one asked for.

    An alias that moves to another snapshot, or a gateway that falls back to another model, must
    not pool silently with the rest.
    """
    provider, model = body.get("provider"), body.get("model")
    who = provider if isinstance(provider, str) and provider else header
    if not isinstance(model, str) or not model or model == sent.parameters.get("model"):
        return who
    shown = sent.brief(model)
    return f"{who}: {shown}" if who else shown


def _hidden_error(error: Json, sent: Sent, *, began: bool) -> Exception:
    """What an error inside a reply means; one after the first words may be charged for."""
    code = error.get("code") if isinstance(error, Mapping) else None
    if isinstance(code, str) and len(code) == 3 and code.isascii() and code.isdecimal():
        code = int(code)
    status = code if isinstance(code, int) and not isinstance(code, bool) else 0
    meant = fault(status, {"error": error}, sent, wrapped=True)
    if isinstance(meant, TransientError):
        meant.may_cost = began
    return meant


def _finish(reason: Json) -> str:
    if not isinstance(reason, str) or not reason:
        return UNKNOWN_FINISH
    return _FINISH.get(reason.lower(), reason)
