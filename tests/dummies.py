"""Methods that misbehave, one way each: what the `smoke` study must survive."""

import subprocess
import sys
import time

import numpy as np


class _Dummy:
    def get_params(self, deep=True):
        return {}

    def set_params(self, **params):
        return self


class Crashing(_Dummy):
    """Raises."""

    def fit(self, X, y):
        raise ZeroDivisionError("this method always crashes")


class Hanging(_Dummy):
    """Never returns."""

    def fit(self, X, y):
        while True:
            time.sleep(1)


class Eating(_Dummy):
    """Takes memory until it is stopped."""

    def fit(self, X, y):
        eaten = []
        while True:
            eaten.append(np.ones(2_000_000))
            time.sleep(0.001)


class Spawning(_Dummy):
    """Lets a child process take the memory, and prints a lot."""

    def fit(self, X, y):
        print("garbage " * 1000)
        greedy = "x = []\nimport time\nwhile True: x.append(bytearray(20_000_000)); time.sleep(.01)"
        subprocess.run([sys.executable, "-c", greedy], check=False)


class Garbage(_Dummy):
    """Returns columns that do not exist."""

    def fit(self, X, y):
        X[:] = np.nan
        self.order_ = [0, X.shape[1] + 5]
        return self
