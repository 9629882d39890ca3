"""What the command line prints must not depend on the width of the terminal the tests run in."""

import pytest


@pytest.fixture(autouse=True)
def no_terminal_width(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
