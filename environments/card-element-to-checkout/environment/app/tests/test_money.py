import pytest

from lazybed.money import display


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        (0, "eur", "€0.00"),
        (5, "gbp", "£0.05"),
        (1234, "eur", "€12.34"),
        (-492, "eur", "−€4.92"),
        (123456, "chf", "CHF 1,234.56"),
    ],
)
def test_amounts_as_people_read_them(amount, currency, text):
    assert display(amount, currency) == text
