"""What is known of one model: the record that the catalog resolves a name into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Forced = Literal["prefix"]
ReasoningPlace = Literal[
    "reasoning", "reasoning_content", "blocks", "think_tags", "summary", "none", "hidden"
]
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens; None is unknown, never free."""

    input: float | None = None
    cached_input: float | None = None
    output: float | None = None


FREE = Price(0.0, 0.0, 0.0)
"""Of models that run in this process: nobody is paid."""


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """Everything that differs by provider and model. None is unknown, or not sent.

    Attributes:
        name: ``provider/model``.
        base_url: Address of the API.
        key_variables: Environment variables that may hold the key, in order.
        key_required: Whether a call without a key cannot succeed.
        window: Tokens of input and output together.
        price: Per million tokens.
        cap_field: Request field that caps the output.
        temperature: Whether the temperature is sent.
        seed_field: Request field of the seed; None where the server takes none.
        stream: Whether replies are streamed.
        effort: Reasoning effort to ask for; goes to ``effort_field``.
        effort_field: Dotted path of the effort in the request.
        reasoning_budget: Cap on reasoning tokens; goes to ``budget_field``.
        budget_field: Dotted path of the reasoning budget in the request.
        split_completion: With a split budget, the tokens kept for the answer; the rest of the
            output budget is the reasoning budget. None for one budget shared by both.
        reasoning_place: Where reasoning comes back, as far as known; any place is read.
        body: Further request fields, sent as they are (upstream routing, thinking switches).
        headers: Further request headers.
        overflow: Wordings of a full context beyond the common ones (regular expressions).
        cuts_input: The server is known to cut a long prompt without saying so.
        forced: ``prefix`` where the server continues an assistant's message and lists
            log-probabilities, which is how the two labels are compared; None where it does not.
        forced_body: Further request fields of such a call.
        top_logprobs: How many alternatives the server lists at most.
        json_schema: The server holds replies to a JSON schema (``response_format``).
        silence_s: Seconds without a byte after which a call counts as hanging.
        deadline_s: Seconds after which a call counts as hanging, bytes or not.
        chars_per_token: Characters of Latin text a token holds, for estimates.
        source: Where the window and price were found.
    """

    name: str
    base_url: str | None = None
    key_variables: tuple[str, ...] = ()
    key_required: bool = False
    window: int | None = None
    price: Price = Price()
    cap_field: str = "max_tokens"
    temperature: bool = True
    seed_field: str | None = None
    stream: bool = True
    effort: str | None = None
    effort_field: str | None = None
    reasoning_budget: int | None = None
    budget_field: str | None = None
    split_completion: int | None = None
    reasoning_place: ReasoningPlace | None = None
    body: Mapping[str, Json] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    overflow: tuple[str, ...] = ()
    cuts_input: bool = False
    forced: Forced | None = None
    forced_body: Mapping[str, Json] = field(default_factory=dict)
    top_logprobs: int = 20
    json_schema: bool = False
    silence_s: float = 600.0
    deadline_s: float = 3600.0
    chars_per_token: float | None = None
    source: str | None = None
