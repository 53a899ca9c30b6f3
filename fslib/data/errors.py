"""What can be wrong with data, said in one or two lines to the person who can mend it."""

from fslib.run.errors import FslibError


class DataError(FslibError, ValueError):
    """A data set or file is missing, damaged or not what it should be."""
