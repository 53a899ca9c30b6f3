"""Data sets that papers define by a recipe: drawn by name, the same on every machine."""
