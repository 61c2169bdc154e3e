"""The tasks by name, with what they want."""

from . import members, money

TASKS = {
    "card": (money.card, {"customer": "text"}),
    "join": (members.join, {"customer": "text", "price": "text", "quantity": "number"}),
    "trial": (members.trial, {"customer": "text", "price": "text", "days": "number"}),
    "by-the-day": (members.by_the_day, {"customer": "text", "price": "text", "day": "number", "coupon": "text?"}),
    "induction": (members.induction, {"customer": "text", "price": "text", "fee": "text", "fee_quantity": "number"}),
    "kiln": (members.kiln, {"customer": "text", "price": "text", "usage_price": "text"}),
    "firings": (money.firings, {"customer": "text", "meter": "text", "readings": "list"}),
    "seasons": (members.seasons, {"customer": "text", "first": "object", "then": "object"}),
    "upgrade": (members.upgrade, {"subscription": "text", "from": "text", "to": "text"}),
    "downgrade": (members.downgrade, {"subscription": "text", "from": "text", "to": "text"}),
    "leave": (members.leave, {"subscription": "text", "when": "text"}),
    "quote": (money.quote, {"subscription": "text", "from": "text", "to": "text"}),
    "pause": (members.pause, {"subscription": "text", "until": "moment?"}),
    "resume": (members.resume, {"subscription": "text"}),
    "team": (members.team, {"customer": "text", "price": "text", "seats": "number", "currency": "text"}),
    "arrears": (money.arrears, {"subscription": "text"}),
    "recover": (money.recover, {"subscription": "text", "payment_method": "text"}),
    "switch": (members.switch, {"subscription": "text", "price": "text"}),
}
