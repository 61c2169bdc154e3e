"""The tasks by name. Each takes the desk and its input, and returns its answer."""

from . import arrears, card, ends, items, joining, pausing, planned, usage

TASKS = {
    "card": card.card,
    "join": joining.join,
    "trial": joining.trial,
    "by-the-day": joining.by_the_day,
    "induction": joining.induction,
    "kiln": joining.kiln,
    "team": joining.team,
    "firings": usage.firings,
    "seasons": planned.seasons,
    "downgrade": planned.downgrade,
    "upgrade": items.upgrade,
    "quote": items.quote,
    "switch": items.switch,
    "leave": ends.leave,
    "pause": pausing.pause,
    "resume": pausing.resume,
    "arrears": arrears.arrears,
    "recover": arrears.recover,
}
