"""The adapter: one model behind an OpenAI-compatible API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from evenhand.models._estimate import estimate_tokens
from evenhand.models._http._faults import Sent
from evenhand.models._http._forced import choose
from evenhand.models._http._reply import read_reply
from evenhand.models._http._request import own_reasoning_budget, parameters, wire_messages
from evenhand.models._http._transport import Filtered, Received, make_client, send
from evenhand.models._protocol import (
    Generation,
    GenerationSettings,
    ParameterRefusedError,
    TokenCount,
)
from evenhand.models._spec import Json, ModelSpec, Price
from evenhand.prompts import Message

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_PLAUSIBLE = (0.5, 2.0)
_CUT_BELOW = 0.4


class HttpModel:
    """A model behind an OpenAI-compatible API. One call, one request; nothing is retried.

    Args:
        spec: What the catalog knows of the model.
        key: The API key, or None to send none.
    """

    def __init__(self, spec: ModelSpec, key: str | None = None) -> None:
        self.spec = spec
        self.__key = key
        self._client: AsyncOpenAI | None = None
        self._estimated = self._billed = 0

    def __repr__(self) -> str:
        return f"HttpModel({self.spec.name!r}, base_url={self.spec.base_url!r})"

    @property
    def name(self) -> str:
        """``provider/model``."""
        return self.spec.name

    @property
    def context_window(self) -> int | None:
        """Tokens of input and output together, as the catalog says."""
        return self.spec.window

    @property
    def max_concurrency(self) -> int | None:
        """None: the server decides."""
        return None

    @property
    def price(self) -> Price:
        """US dollars per million tokens, as the catalog says."""
        return self.spec.price

    def parameters(self, settings: GenerationSettings) -> Mapping[str, Json]:
        """What a call with these settings sends beside the messages."""
        return parameters(self.spec, settings)

    def reasoning_budget(self, output_budget: int) -> int | None:
        """Tokens that reasoning has to itself; None where it shares them with the answer.

        Raises:
            UsageError: If the output budget is not larger than the part kept for the answer.
        """
        return own_reasoning_budget(self.spec, output_budget)

    async def generate(
        self, messages: Sequence[Message], settings: GenerationSettings
    ) -> Generation:
        """Answer once.

        Raises:
            ModelError: One of the protocol's errors; the message is short and holds neither the
                key nor the prompt.
            UsageError: If a forced choice is asked of a server that cannot give one.
        """
        if settings.answer_mode == "forced":
            return await choose(self.spec, messages, settings, self._ask)
        asked = parameters(self.spec, settings)
        cap = asked[self.spec.cap_field]
        assert isinstance(cap, int)
        sent = self._sent(asked, messages)
        try:
            received = await self._post(sent, messages)
        except Filtered as refusal:
            return Generation(str(refusal), "content_filter", parameters=asked)
        generation = read_reply(
            received.body, sent, cap=cap, latency_s=received.latency_s, upstream=received.upstream
        )
        self._learn(messages, generation.usage.input_tokens)
        return generation

    def count_tokens(self, messages: Sequence[Message]) -> TokenCount:
        """Estimate the prompt's tokens, corrected by what the server has billed so far."""
        tokens = estimate_tokens(messages, self.spec.chars_per_token)
        if self._estimated:
            tokens = round(tokens * self._billed / self._estimated)
        return TokenCount(tokens, exact=False)

    async def aclose(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _ask(
        self, messages: Sequence[Message], asked: Mapping[str, Json]
    ) -> tuple[Received, Sent]:
        sent = self._sent(asked, messages)
        return await self._post(sent, messages), sent

    async def _post(self, sent: Sent, messages: Sequence[Message]) -> Received:
        if self._client is None:
            self._client = make_client(self.spec, self.__key)
        return await send(
            self._client, sent, wire_messages(messages), has_key=self.__key is not None
        )

    def _sent(self, asked: Mapping[str, Json], messages: Sequence[Message]) -> Sent:
        return Sent(self.spec, asked, messages, (self.__key,) if self.__key else ())

    def _learn(self, messages: Sequence[Message], billed: int | None) -> None:
        """Remember how far the estimate was off; refuse a reply to a prompt that was cut."""
        if billed is None:
            return
        estimated = estimate_tokens(messages, self.spec.chars_per_token)
        ratio = billed / estimated
        if self.spec.cuts_input and ratio < _CUT_BELOW:
            raise ParameterRefusedError(
                f"{self.spec.name}: the server read {billed:,} prompt tokens where about "
                f"{estimated:,} were sent: it cut the prompt. Give it a larger context "
                "(for Ollama: OLLAMA_CONTEXT_LENGTH, or num_ctx in a Modelfile)"
            )
        if _PLAUSIBLE[0] <= ratio <= _PLAUSIBLE[1]:
            self._estimated += estimated
            self._billed += billed
