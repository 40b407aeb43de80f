"""Rendering an arranged instance list and a variant into messages (B.1, B.2)."""

from evenhand.prompts._alone import render_alone
from evenhand.prompts._message import Message, Prompt, Role, messages_sha256
from evenhand.prompts._render import fold, render, self_instruction_prompt

__all__ = [
    "Message",
    "Prompt",
    "Role",
    "fold",
    "messages_sha256",
    "render",
    "render_alone",
    "self_instruction_prompt",
]
