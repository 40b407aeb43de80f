"""What a reply says, and what that makes of the experiment (3.4, D.1). Pure functions."""

from evenhand.outcomes._finish import was_cut, was_filtered
from evenhand.outcomes._judge import AnswerOutcome, Judgement, judge, judge_forced, unanswered
from evenhand.outcomes._number import judge_number, parse_number
from evenhand.outcomes._parse import ParsedAnswer, parse_answer
from evenhand.outcomes._visible import visible_parts

__all__ = [
    "AnswerOutcome",
    "Judgement",
    "ParsedAnswer",
    "judge",
    "judge_forced",
    "judge_number",
    "parse_answer",
    "parse_number",
    "unanswered",
    "visible_parts",
    "was_cut",
    "was_filtered",
]
