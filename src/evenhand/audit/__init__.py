"""Does my answer depend on row order? An audit of one's own records, without gold labels."""

from evenhand._callable_room import make_callable
from evenhand.audit._audit import audit
from evenhand.audit._orders import Order, make_orders
from evenhand.audit._result import AnswerShare, Audit, OrderAnswer, Spread
from evenhand.audit._statistics import FlipRate, flip_rate_of_orders, order_test
from evenhand.audit._text import rests_on, unread_words, why_not_twice

__all__ = [
    "AnswerShare",
    "Audit",
    "FlipRate",
    "Order",
    "OrderAnswer",
    "Spread",
    "audit",
    "flip_rate_of_orders",
    "make_orders",
    "order_test",
    "rests_on",
    "unread_words",
    "why_not_twice",
]

make_callable(__name__)
