"""Every test builds its expressions in a table of its own, so that they don't pile up."""

from collections.abc import Iterator

import pytest

from touchweight.symbolic import fresh_table


@pytest.fixture(autouse=True)
def own_table() -> Iterator[None]:
    with fresh_table():
        yield
