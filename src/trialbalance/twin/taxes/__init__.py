"""Taxes: the twin's own table of rates and the arithmetic of calculations, as pure functions."""
