"""The compiled actions and their rest positions, once for all tests."""

import pytest

from touchweight.library import piano


@pytest.fixture(scope="session")
def by_motion():
    return piano.build("motion").compile()


@pytest.fixture(scope="session")
def by_force():
    return piano.build("force").compile()


@pytest.fixture(scope="session")
def by_finger():
    return piano.build("finger").compile()


@pytest.fixture(scope="session")
def resting(by_motion):
    return piano.rest(by_motion)


@pytest.fixture(scope="session")
def struck(by_force):
    """Strokes with constant forces [N], 0.9 to 35."""
    start = piano.rest(by_force)
    return {f: piano.analyse(piano.strike(by_force, f, start=start)) for f in (0.9, 2.0, 5.0, 8.0, 12.0, 20.0, 35.0)}
