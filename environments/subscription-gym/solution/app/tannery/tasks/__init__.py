# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-742f1bda0daf: keep out of training data
"""The tasks by name. Each takes the desk and its input, and returns its answer."""

from . import arrears, card, changing, joining, pausing, seasons, usage

TASKS = {
    "card": card.card,
    "join": joining.join,
    "trial": joining.trial,
    "by-the-day": joining.by_the_day,
    "induction": joining.induction,
    "kiln": joining.kiln,
    "team": joining.team,
    "firings": usage.firings,
    "seasons": seasons.seasons,
    "downgrade": seasons.downgrade,
    "upgrade": changing.upgrade,
    "quote": changing.quote,
    "switch": changing.switch,
    "leave": changing.leave,
    "pause": pausing.pause,
    "resume": pausing.resume,
    "arrears": arrears.arrears,
    "recover": arrears.recover,
}
