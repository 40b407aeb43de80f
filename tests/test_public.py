"""Contract: every public name can be imported from the package, in any order, and does its job."""

from __future__ import annotations

import subprocess
import sys

import pytest

import evenhand


@pytest.mark.parametrize("name", evenhand.__all__)
@pytest.mark.parametrize(
    "before", ["", "import evenhand.results, evenhand.running, evenhand.audit; "]
)
def test_a_public_name_is_what_it_says(name: str, before: str) -> None:
    code = (
        f"{before}from evenhand import {name}; print(callable({name}) or isinstance({name}, tuple))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_an_unknown_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'resluts'"):
        _ = evenhand.resluts


def test_dir_lists_the_public_names() -> None:
    assert set(evenhand.__all__) <= set(dir(evenhand))


@pytest.mark.parametrize(("name", "inside"), [("results", "attempts"), ("audit", "Audit")])
def test_a_room_named_like_its_function_has_its_other_names_at_once(name: str, inside: str) -> None:
    """Before and after anything else has imported it, as a command that is printed needs it."""
    code = f"import evenhand; evenhand.{name}.{inside}; evenhand.{name}.{inside}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
