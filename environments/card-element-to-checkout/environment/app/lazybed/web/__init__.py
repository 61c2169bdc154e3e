"""The shop's pages, one module for each part of the visit."""
