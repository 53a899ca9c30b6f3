"""The common ancestor of every mistake that a person, not the program, has to mend."""


class FslibError(Exception):
    """Bad input, configuration or files: shown as a message, never as a traceback."""
