"""Readers of raw files: values exactly as the files have them."""
