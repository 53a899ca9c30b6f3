"""Preparation steps: fitted on training rows, applied to all."""

from fslib.prepare.discretise import binarise_by_mean, equal_width, sigma3
from fslib.prepare.scale import minmax, standard

__all__ = ["binarise_by_mean", "equal_width", "minmax", "sigma3", "standard"]
