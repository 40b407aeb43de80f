"""Rendering an arranged instance list and a variant into messages (B.1, B.2)."""

from evenhand.prompts._message import Message, Prompt, Role, messages_sha256

__all__ = ["Message", "Prompt", "Role", "messages_sha256"]
