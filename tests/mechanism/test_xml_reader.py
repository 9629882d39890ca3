"""XML: elements keep their lines; what is dangerous or broken is one line. (test_load has the rest.)"""

from __future__ import annotations

from pathlib import Path

import pytest

from touchweight.errors import FileError, MechanismError
from touchweight.mechanism.source import read_bytes
from touchweight.mechanism.xml_reader import Remarks, parse_xml, read_xml


def test_elements_keep_their_place() -> None:
    root = parse_xml(b"<a>\n  <b x='1'/>\n\n  <c\n y='2'><d/></c>\n</a>", "f.xml")
    assert [(c.tag, c.line) for c in root.children] == [("b", 2), ("c", 4)]
    assert root.children[1].children[0].line == 5
    assert root.only("b") is root.children[0]
    assert root.only("z") is None
    assert root.all("b", "c") == root.children


def test_attributes_are_numbers_or_one_sentence() -> None:
    root = parse_xml(b"<a\n x='1.5' v='1 2 3' w='one' e=' '/>", "f.xml")
    assert root.number("x") == 1.5
    assert root.number("none", 7.0) == 7.0
    assert root.numbers("v", 3) == [1, 2, 3]
    assert root.numbers("none", 3, [0.0] * 3) == [0, 0, 0]
    for call, says in (
        (lambda: root.number("w"), "found 'one'"),
        (lambda: root.number("none"), "'none'"),
        (lambda: root.need("e"), "'e'"),
        (lambda: root.numbers("v", 2), "2 numbers"),
        (lambda: root.numbers("v", (4, 6)), "4 to 6 numbers"),
    ):
        with pytest.raises(FileError) as caught:
            call()
        assert says in str(caught.value)
        assert str(caught.value).startswith("f.xml:1: ")


def test_errors_of_the_builder_are_given_a_place() -> None:
    element = parse_xml(b"<a>\n<b name='x'/></a>", "f.xml").children[0]
    with pytest.raises(FileError, match=r'f\.xml:2: <b name="x">: bad'), element.place():
        raise MechanismError("bad")
    with pytest.raises(FileError, match=r"other:7: bad"), element.place():
        raise FileError("other", "bad", 7)


def test_size_has_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "f.xml"
    path.write_bytes(b"<a>" + b" " * 100 + b"</a>")
    assert read_xml(path).tag == "a"
    with pytest.raises(FileError, match="at most 50 bytes"):
        read_xml(path, 50)
    with pytest.raises(FileError, match="folder"):
        read_bytes(tmp_path)


@pytest.mark.parametrize(
    "data",
    [
        b"<!DOCTYPE a><a/>",
        b'<!DOCTYPE a SYSTEM "http://example.org/a.dtd"><a/>',
        b'<!DOCTYPE a [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]><a/>',
        b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
        b'<!DOCTYPE a [<!ATTLIST a x CDATA "1">]><a/>',
    ],
)
def test_document_types_are_refused(data: bytes) -> None:
    with pytest.raises(FileError, match="XML entities are not allowed"):
        parse_xml(data, "f.xml")


def test_comments_instructions_and_cdata_are_passed_over() -> None:
    root = parse_xml(b"<?xml version='1.0'?><!-- <x/> --><?php x ?><a><![CDATA[<b/>]]><c/>text</a>", "f.xml")
    assert [c.tag for c in root.children] == ["c"]


def test_remarks_count_by_kind() -> None:
    remarks = Remarks()
    for _ in range(3):
        remarks.ignore("<visual> elements", "not used")
    remarks.ignore("<x\ny> elements", "unknown")
    remarks.say("also\nthis")
    assert remarks.lines() == [
        "ignored 3 <visual> elements: not used",
        "ignored 1 <x\\ny> elements: unknown",
        "also\\nthis",
    ]
