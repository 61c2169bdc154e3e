"""Everything that moves money and is not a card: what each payment method type can do, and how it behaves in tests."""
