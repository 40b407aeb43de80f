"""Contract of ``last_answer``: on text that is JSON it finds what a JSON parser would show."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from evenhand.outcomes._json import Answer, last_answer

KEYS = st.sampled_from(["answer", "a", '"', "{", "\\", "answer "])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


def expected(value: object) -> Answer | None:
    """The rule on parsed values: the outermost answer speaks, else the last one inside."""
    if isinstance(value, dict):
        if "answer" in value:
            own = value["answer"]
            if isinstance(own, dict):
                return expected({"answer": own["answer"]}) if "answer" in own else Answer("object")
            return Answer("array") if isinstance(own, list) else Answer("scalar", own)
        found = [expected(inner) for inner in value.values()]
    elif isinstance(value, list):
        found = [expected(inner) for inner in value]
    else:
        return None
    return next((answer for answer in reversed(found) if answer), None)


def finite(value: object) -> object:
    """NaN and infinities are not JSON."""
    if isinstance(value, float) and not (-1e308 < value < 1e308):
        return 0.5
    if isinstance(value, dict):
        return {key: finite(inner) for key, inner in value.items()}
    return [finite(inner) for inner in value] if isinstance(value, list) else value


@given(value=VALUES.map(finite), indent=st.sampled_from([None, 2]), ascii_only=st.booleans())
def test_agrees_with_a_json_parser(value: object, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    found, wanted = last_answer(text), expected(value)
    if found is not None and isinstance(found.value, float):
        assert wanted is not None
        assert wanted.value == found.value  # 10**20 is read as a float: off-list either way
    else:
        assert found == wanted


@given(value=VALUES.map(finite), prose=st.sampled_from(["", "{ ", "[{", 'so: {"', '{"a": {', "}"]))
def test_broken_text_before_hides_nothing(value: object, prose: str) -> None:
    text = json.dumps({"answer": "x", "rest": value})
    assert last_answer(prose + text + prose) == Answer("scalar", "x")
