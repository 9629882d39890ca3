# ruff: noqa: E501 (a table reads better in long lines)
"""Files that are wrong, hostile or odd, as a table: what each holds and what reading it must say.

``line`` is the line an error must name (None: no line is meaningful). ``outcome`` is "error" (the file is refused),
"problem" (it is read, and the check finds something) or "fine" (odd, but legal).
"""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    file: str
    data: bytes
    outcome: str
    says: str
    line: int | None = None


def _robot(inside: str, head: str = '<robot name="r">') -> bytes:
    return f"{head}\n{inside}\n</robot>".encode()


LINK = (
    '<link name="a"><inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
TIP = LINK.replace('"a"', '"b"')
JOINT = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>'


def _arm(old: str = "", new: str = "") -> bytes:
    """A sound robot with one text exchanged."""
    text = f"{LINK}\n{TIP}\n{JOINT}"
    assert old in text
    return _robot(text.replace(old, new, 1))


BALL = (
    '<drake:ball_constraint><drake:ball_constraint_body_A name="a"/><drake:ball_constraint_body_B name="b"/>'
    '<drake:ball_constraint_p_AP value="0 0 0"/><drake:ball_constraint_p_BQ value="0 0 1"/></drake:ball_constraint>'
)


def _ball(old: str = "", new: str = "") -> bytes:
    """A robot with a loop of Drake's, with one text of the loop exchanged."""
    assert old in BALL
    return _robot(f"{LINK}\n{TIP}\n{JOINT}\n{BALL.replace(old, new, 1)}")


def _named(name: str) -> bytes:
    """A sound robot whose link, joint and self have a name (given as XML text)."""
    text = f"{LINK}\n{TIP}\n{JOINT}".replace('"b"', f'"{name}"').replace('"j"', f'"{name}"')
    return _robot(text, f'<robot name="{name}">')


def _links(count: int, joints: str) -> bytes:
    return _robot("\n".join(LINK.replace('"a"', f'"l{k}"') for k in range(count)) + "\n" + joints)


def _j(name: str, parent: str, child: str) -> str:
    return f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/></joint>'


URDF = {
    "empty": Case("m.urdf", b"", "error", "empty"),
    "only spaces": Case("m.urdf", b" \n\t\n", "error", "empty"),
    "binary": Case("m.urdf", bytes(range(256)), "error", "expected XML", 1),
    "elf": Case("m.urdf", b"\x7fELF\x02\x01\x01" + bytes(64), "error", "expected XML", 1),
    "png": Case("m.urdf", b"\x89PNG\r\n\x1a\n" + bytes(32), "error", "expected XML", 1),
    "NUL inside": Case("m.urdf", _arm('name="j"', 'name="j\0"'), "error", "NUL", 4),
    "truncated": Case("m.urdf", _arm()[:-40], "error", "well-formed"),
    "truncated in a tag": Case("m.urdf", b'<robot name="r"><link na', "error", "well-formed", 1),
    "closed twice": Case("m.urdf", _arm() + b"</robot>", "error", "well-formed", 5),
    "two roots": Case("m.urdf", _arm() + b"<robot/>", "error", "junk after document", 5),
    "crossed tags": Case("m.urdf", b"<robot><link></robot></link>", "error", "mismatched tag", 1),
    "an attribute twice": Case("m.urdf", b'<robot name="a" name="b"/>', "error", "duplicate attribute", 1),
    "wrong root": Case("m.urdf", b"<sdf version='1.7'><model/></sdf>", "error", "<robot>", 1),
    "html": Case("m.urdf", b"<!DOCTYPE html><html><body>404</body></html>", "error", "DOCTYPE", 1),
    "entity bomb": Case(
        "m.urdf",
        b'<?xml version="1.0"?>\n<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
        b'<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>\n<robot name="&c;"/>',
        "error", "entities are not allowed", 2,
    ),
    "external entity": Case(
        "m.urdf", b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n<robot name="&a;"/>', "error", "entities", 1
    ),
    "unknown entity": Case("m.urdf", b'<robot name="&nope;"/>', "error", "undefined entity", 1),
    "deep nesting": Case("m.urdf", b"<robot>" + b"<a>" * 100_000, "error", "nested", 1),
    "unknown encoding": Case("m.urdf", b'<?xml version="1.0" encoding="klingon"?><robot/>', "error", "encoding", 1),
    "broken UTF-8": Case("m.urdf", _arm('name="j"', 'name="§"').replace("§".encode(), b"\xff\xfe"), "error", "token", 4),
    "UTF-16 is fine": Case("m.urdf", _arm().decode().encode("utf-16"), "fine", ""),
    "UTF-16 without a mark is fine": Case("m.urdf", _arm().decode().encode("utf-16-le"), "fine", ""),
    "a byte order mark is fine": Case("m.urdf", b"\xef\xbb\xbf" + _arm(), "fine", ""),
    "latin-1 declared is fine": Case(
        "m.urdf", b'<?xml version="1.0" encoding="latin-1"?>' + _arm('name="j"', 'name="§"').replace(b"\xc2", b""), "fine", ""
    ),
    "xacro": Case(
        "m.urdf", _robot('<xacro:property name="p" value="1"/>', '<robot xmlns:xacro="x">'), "error", "expand it first", 2
    ),
    "xacro in a number": Case("m.urdf", _arm('value="1"', 'value="${m}"'), "error", "expand it first", 2),
    "no links": Case("m.urdf", b'<robot name="r"/>', "error", "at least one <link>", 1),
    "link without name": Case("m.urdf", _arm('<link name="a">', "<link>"), "error", "'name'", 2),
    "link with an empty name": Case("m.urdf", _arm('<link name="a">', '<link name="">'), "error", "'name'", 2),
    "two links of one name": Case("m.urdf", _robot(LINK + "\n" + LINK), "error", "again", 3),
    "two joints of one name": Case("m.urdf", _links(3, f"{_j('j', 'l0', 'l1')}\n{_j('j', 'l1', 'l2')}"), "error", "again", 6),
    "joint without name": Case("m.urdf", _arm('<joint name="j"', "<joint"), "error", "'name'", 4),
    "joint without type": Case("m.urdf", _arm(' type="revolute"', ""), "error", "'type'", 4),
    "unknown joint type": Case("m.urdf", _arm('"revolute"', '"screw"'), "error", "screw", 4),
    "joint without parent": Case("m.urdf", _arm('<parent link="a"/>', ""), "error", "<parent>", 4),
    "joint without child": Case("m.urdf", _arm('<child link="b"/>', ""), "error", "<child>", 4),
    "joint with two children": Case("m.urdf", _arm('<child link="b"/>', '<child link="b"/><child link="a"/>'), "error", "one", 4),
    "unknown parent": Case("m.urdf", _arm('parent link="a"', 'parent link="zz"'), "error", "zz", 4),
    "parent is child": Case("m.urdf", _arm('parent link="a"', 'parent link="b"'), "error", "two links", 4),
    "two roots of the tree": Case("m.urdf", _robot(LINK + "\n" + TIP), "error", "one root", 3),
    "a cycle": Case(
        "m.urdf", _links(2, _j("x", "l0", "l1") + _j("y", "l1", "l0")), "error", "cycle", 1
    ),
    "a cycle beside a root": Case(
        "m.urdf", _links(3, _j("x", "l1", "l2") + "\n" + _j("y", "l2", "l1")), "error", "cycle", 5
    ),
    "a loop": Case(
        "m.urdf", _links(3, f"{_j('x', 'l0', 'l1')}\n{_j('y', 'l0', 'l2')}\n{_j('z', 'l1', 'l2')}"), "error", "close a loop", 7
    ),
    "mass NaN": Case("m.urdf", _arm('value="1"', 'value="NaN"'), "error", "finite", 2),
    "mass infinite": Case("m.urdf", _arm('value="1"', 'value="-inf"'), "error", "finite", 2),
    "mass too large": Case("m.urdf", _arm('value="1"', 'value="1e999"'), "error", "fits a double", 2),
    "mass with a comma": Case("m.urdf", _arm('value="1"', 'value="1,5"'), "error", "point", 2),
    "mass in hexadecimal": Case("m.urdf", _arm('value="1"', 'value="0x10"'), "error", "number", 2),
    "mass in other digits": Case("m.urdf", _arm('value="1"', 'value="١"'), "error", "number", 2),
    "mass with an underscore": Case("m.urdf", _arm('value="1"', 'value="1_000"'), "error", "number", 2),
    "mass missing": Case("m.urdf", _arm('<mass value="1"/>', ""), "error", "<mass>", 2),
    "mass without value": Case("m.urdf", _arm('<mass value="1"/>', "<mass/>"), "error", "'value'", 2),
    "mass negative": Case("m.urdf", _arm('value="1"', 'value="-1"'), "problem", "at least 0"),
    "inertia missing": Case("m.urdf", _arm("<inertia ", "<inert "), "error", "<inertia>", 2),
    "inertia without izz": Case("m.urdf", _arm(' izz="1"', ""), "error", "'izz'", 2),
    "inertia negative": Case("m.urdf", _arm('ixx="1"', 'ixx="-1"'), "problem", "principal moments"),
    "inertia of no body": Case("m.urdf", _arm('izz="1"', 'izz="3"'), "problem", "sum of the others"),
    "a moving link without mass": Case("m.urdf", _robot(f'{LINK}\n<link name="b"/>\n{JOINT}'), "problem", "move some mass"),
    "axis zero": Case("m.urdf", _arm('xyz="0 0 1"', 'xyz="0 0 0"'), "error", "not all zero", 4),
    "axis of two numbers": Case("m.urdf", _arm('xyz="0 0 1"', 'xyz="0 1"'), "error", "3 numbers", 4),
    "axis of words": Case("m.urdf", _arm('xyz="0 0 1"', 'xyz="up up up"'), "error", "number", 4),
    "limits exchanged": Case("m.urdf", _arm("<axis", '<limit lower="1" upper="-1"/><axis'), "problem", "lower limit"),
    "mimics nobody": Case("m.urdf", _arm("<axis", '<mimic joint="ghost"/><axis'), "problem", "ghost"),
    "mimics itself": Case("m.urdf", _arm("<axis", '<mimic joint="j"/><axis'), "problem", "itself"),
    "damping negative": Case("m.urdf", _arm("<axis", '<dynamics damping="-1"/><axis'), "problem", "at least 0"),
    "huge numbers": Case("m.urdf", _arm("<axis", '<origin xyz="1e308 1e308 1e308"/><axis'), "fine", ""),
    "a long number": Case("m.urdf", _arm('value="1"', f'value="{"1" * 10000}"'), "error", "number", 2),
    "rpy of four": Case("m.urdf", _arm("<axis", '<origin rpy="1 2 3 4"/><axis'), "error", "3 numbers", 4),
    "two origins": Case("m.urdf", _arm("<axis", "<origin/><origin/><axis"), "error", "at most one", 4),
    "a ball that is held": Case("m.urdf", _ball(), "problem", "one for each speed"),
    "a ball without a body": Case("m.urdf", _ball('<drake:ball_constraint_body_A name="a"/>', ""), "error", "<drake:ball_constraint_body_A>", 5),
    "a ball without a point": Case("m.urdf", _ball('<drake:ball_constraint_p_BQ value="0 0 1"/>', ""), "error", "<drake:ball_constraint_p_BQ>", 5),
    "a ball on no link": Case("m.urdf", _ball('body_A name="a"', 'body_A name="zz"'), "error", "zz", 5),
    "a ball on one link": Case("m.urdf", _ball('body_A name="a"', 'body_A name="b"'), "problem", "two bodies"),
    "a ball at two numbers": Case("m.urdf", _ball("0 0 1", "0 1"), "error", "3 numbers", 5),
    "a ball on a body twice": Case("m.urdf", _ball("<drake:ball_constraint_body_A", '<drake:ball_constraint_body_A name="b"/><drake:ball_constraint_body_A'), "error", "at most one", 5),
    # names: whatever they are, they are only names
    "name with quotes": Case("m.urdf", _named("&quot;a&quot; 'b'"), "fine", ""),
    "name with a backslash": Case("m.urdf", _named("a\\b\\n%s%n"), "fine", ""),
    "name that ends a comment": Case("m.urdf", _named("*/ int main(void){} /*"), "fine", ""),
    "name with C": Case("m.urdf", _named("a;system(&quot;rm&quot;);//"), "fine", ""),
    "name with shell": Case("m.urdf", _named("$(touch x) `x` | &amp;"), "fine", ""),
    "name like a path": Case("m.urdf", _named("../../etc/passwd"), "fine", ""),
    "name in Unicode": Case("m.urdf", _named("клавиша 鍵 🎹 é"), "fine", ""),
    "name like a number": Case("m.urdf", _named("1e5"), "fine", ""),
    "name that is a keyword": Case("m.urdf", _named("double"), "fine", ""),
    "name with dots": Case("m.urdf", _named("a.mass"), "fine", ""),
    "name ground": Case("m.urdf", _named("ground"), "fine", ""),
    "name root": Case("m.urdf", _named("root"), "fine", ""),
    "name with a newline": Case("m.urdf", _named("a&#10;b"), "problem", "U+000A"),
    "name right to left": Case("m.urdf", _named("a\u202eb\u200f"), "problem", "U+202E"),
    "name of 10 kB": Case("m.urdf", _named("n" * 10_000), "problem", "10000 characters"),
    "name of spaces": Case("m.urdf", _named("   "), "error", "'name'", 3),
}  # fmt: skip


def _tied(equality: str) -> bytes:
    """A model of two bodies, with what ties them in line 4."""
    bodies = "".join(f'<body name="{n}"><joint name="{n}"/><geom size="1"/><site name="{n}_end"/></body>' for n in "ab")
    return f"<mujoco>\n<worldbody>{bodies}</worldbody>\n<equality>\n{equality}\n</equality></mujoco>".encode()


def _model(inside: str, before: str = "") -> bytes:
    return f'<mujoco>{before}\n<worldbody>\n<body name="a">\n{inside}\n</body></worldbody></mujoco>'.encode()


MJCF = {
    "no worldbody": Case("m.xml", b"<mujoco/>", "error", "<worldbody>", 1),
    "neither robot nor mujoco": Case("m.xml", b"<svg/>", "error", "<robot>", 1),
    "unknown section": Case("m.xml", b"<mujoco>\n<world/></mujoco>", "error", "section", 2),
    "include outside": Case("m.xml", b"<mujoco>\n<include file='../../../etc/passwd'/></mujoco>", "error", "inside", 2),
    "include absolute": Case("m.xml", b"<mujoco>\n<include file='/etc/passwd'/></mujoco>", "error", "relative", 2),
    "include itself": Case("m.xml", b"<mujoco>\n<include file='m.xml'/></mujoco>", "error", "once", 2),
    "include nothing": Case("m.xml", b"<mujoco>\n<include file='gone.xml'/></mujoco>", "error", "gone.xml", 2),
    "include a NUL": Case("m.xml", b"<mujoco>\n<include file='a&#0;b'/></mujoco>", "error", "character number", 2),
    "mesh outside, with inertia": Case(
        "m.xml",
        b"<mujoco><asset><mesh name='m' file='../../../etc/passwd'/></asset><worldbody><body><joint/>"
        b"<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
        "fine", "",
    ),
    "mesh without inertia": Case("m.xml", _model('<joint/><geom type="mesh" mesh="m"/>'), "error", "<inertial>", 4),
    "composite": Case("m.xml", _model('<composite type="cable"/>'), "error", "plain bodies", 4),
    "mass NaN": Case("m.xml", _model('<joint/><inertial pos="0 0 0" mass="nan"/>'), "error", "finite", 4),
    "mass negative": Case(
        "m.xml", _model('<joint/><inertial pos="0 0 0" mass="-2" diaginertia="1 1 1"/>'), "problem", "at least 0"
    ),
    "geom of negative size": Case("m.xml", _model('<joint/><geom size="-1"/>'), "error", "above zero", 4),
    "hinge without mass": Case("m.xml", _model("<joint/>"), "problem", "move some mass"),
    "bodies of one name": Case("m.xml", _model('<body name="a"/>'), "error", "again", 4),
    "class unknown": Case("m.xml", _model('<joint class="ghost"/>'), "error", "ghost", 4),
    "class cycle": Case(
        "m.xml", _model("<joint/>", '<default class="main"><default class="main"/></default>'), "error", "again", 1
    ),
    "free joint inside": Case("m.xml", _model("<body><freejoint/><geom size='1'/></body>"), "error", "further out", 4),
    "quaternion zero": Case("m.xml", _model('<joint/><geom size="1" quat="0 0 0 0"/>'), "error", "non-zero", 4),
    "axis infinite": Case("m.xml", _model('<joint axis="inf 0 0"/>'), "error", "finite", 4),
    "range exchanged": Case("m.xml", _model('<joint range="1 -1"/><geom size="1"/>'), "problem", "lower limit"),
    "names with markup": Case("m.xml", _model("<joint name='&lt;/body&gt;*/'/><geom size='1'/>"), "fine", ""),
    "site named as a joint": Case(
        "m.xml", _model('<joint name="x" pos="1 0 0"/><site name="x" pos="1 0 0"/><geom size="1"/>'), "fine", ""
    ),
    "body called ground": Case("m.xml", _model('<body name="ground"/><joint/><geom size="1"/>'), "fine", ""),
    "two thousand nested bodies": Case("m.xml", _model("<body>" * 2000), "error", "nested", 4),
    "tied joints": Case("m.xml", _tied('<joint joint1="a" joint2="b"/>'), "fine", ""),
    "tied by markup": Case("m.xml", _tied('<joint name="&lt;/a&gt;*/ `" joint1="a" joint2="b"/>'), "fine", ""),
    "tied too much": Case("m.xml", _tied('<weld body1="a" body2="b"/>'), "problem", "one for each speed"),
    "tied to nobody": Case("m.xml", _tied('<weld body1="a" body2="zz"/>'), "error", "zz", 4),
    "tied to itself": Case("m.xml", _tied('<weld body1="a" body2="a"/>'), "error", "two bodies", 4),
    "tied without an anchor": Case("m.xml", _tied('<connect body1="a"/>'), "error", "'anchor'", 4),
    "tied at infinity": Case("m.xml", _tied('<connect body1="a" anchor="0 0 inf"/>'), "error", "finite", 4),
    "tied at no site": Case("m.xml", _tied('<connect site1="a_end" site2="x"/>'), "error", "site of the model", 4),
    "tied by a huge turn": Case("m.xml", _tied('<weld body1="a" relpose="0 0 0 1e300 1e300 0 0"/>'), "problem", "one for each speed"),
    "tied by a long polynomial": Case("m.xml", _tied('<joint joint1="a" joint2="b" polycoef="1 2 3 4 5 6"/>'), "error", "numbers", 4),
    "tied with one name": Case("m.xml", _tied('<joint name="x" joint1="a"/>\n<joint name="x" joint1="b"/>'), "error", "once", 5),
    "total mass of nothing": Case("m.xml", _model("<joint/>", "<compiler settotalmass='5'/>"), "problem", "move some mass"),
}  # fmt: skip

#: a YAML file as a person would write it
READABLE = """\
touchweight: 1
name: pendulum
gravity: [0, 0, -9.81]
parameters: {k: {value: 1200, unit: N/m, minimum: 0}, l0: 0.1}
bodies:
  arm: {mass: 1.2, com: [0, 0, -0.4], inertia: [0.07, 0.07, 0.001]}
joints:
  hip: {kind: revolute, parent: ground, child: arm, axis: y, damping: 0.1}
frames:
  tip: {body: arm, origin: [0, 0, "-2*l0"]}
inputs:
  push: {unit: N}
states:
  x: {rate: (push - x)/0.01}
forces:
  felt:
    kind: law
    between: [tip, ground]
    law: e = d - l0; k*e + c*d_dot
    parameters: {c: 3.0}
  stop: {kind: joint_law, speed: hip, law: -k*q - v}
"""

#: the same with a loop, equations, drives and modes
SWITCHING = (
    READABLE
    + """\
loops:
  rod: {kind: rod, a: tip, b: {body: ground, origin: [0.1, 0, 0]}, length: 0.3}
  pin: {kind: pin, a: tip, b: ground, axis: y}
constraints:
  turn: {kind: gear, first: hip, second: hip, ratio: -2, offset: l0}
  follow: {expression: q.hip - 0.1*sin(t)}
  roll: {expression: v.hip - k, level: speed}
drives:
  hip: {motion: l0*sin(3*t)}
modes:
  stick: {active: [pin, hip]}
  slip: {active: [rod, stop], locked: [hip]}
transitions:
  up: {from: stick, to: slip, when: 5 - force.pin.1, reset: {x: 0, v.hip: -v.hip/2}}
  down: {from: slip, to: stick, when: q.hip - 1, restitution: 0.5, rest: slip}
"""
)

HEAD = "touchweight: 1\n"
SOUND = HEAD + (
    "bodies:\n"
    "  arm: {mass: 1.2, com: [0, 0, -0.4], inertia: [0.07, 0.07, 0.001]}\n"
    "joints:\n"
    "  hip: {kind: revolute, parent: ground, child: arm, axis: y}\n"
)


def _yaml(old: str = "", new: str = "") -> bytes:
    assert old in SOUND
    return SOUND.replace(old, new, 1).encode()


def _more(text: str) -> bytes:
    return (SOUND + text).encode()


_BOMB = (
    HEAD
    + "name: &a [x, x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"k{n}: &{chr(98 + n)} [{', '.join('*' + chr(97 + n) for _ in range(10))}]\n" for n in range(9))
)

YAML = {
    "a shape of no kind": Case("m.yaml", _more("shapes:\n  s: {frame: ground}\n"), "error", "'kind'", 7),
    "a shape on nothing": Case("m.yaml", _more("shapes:\n  s: {kind: circle, frame: nobody, centre: [0, 0, 0]}\n"), "error", "frame or body", 7),
    "a shape that is a list": Case("m.yaml", _more("shapes: [circle]\n"), "error", "a mapping", 6),
    "a contact of nothing": Case("m.yaml", _more("contacts:\n  c: {}\n"), "error", "'a'", 7),
    "a contact of strangers": Case("m.yaml", _more("contacts:\n  c: {a: x, b: y}\n"), "error", "a shape among none", 7),
    "a contact with a law that runs code": Case("m.yaml", _more("contacts:\n  c: {gap: 1, law: __import__('os')}\n"), "error", "expression", 7),
    "a stop without a coordinate": Case("m.yaml", _more("contacts:\n  c: {gap: 1}\n"), "problem", "a gap of coordinates"),
    "a stop with a wild restitution": Case("m.yaml", _more("contacts:\n  c: {gap: 1, restitution: 7}\n"), "problem", "from 0 to 1"),
    "a felt without a stiffness": Case("m.yaml", _more("contacts:\n  c: {gap: 1, law: felt}\n"), "error", "'stiffness'", 7),
    "empty": Case("m.yaml", b"", "error", "empty"),
    "only a comment": Case("m.yaml", b"# nothing\n", "error", "empty"),
    "only a list": Case("m.yaml", b"- 1\n- 2\n", "error", "a mapping", 1),
    "only a word": Case("m.yaml", b"hello\n", "error", "a mapping", 1),
    "no version": Case("m.yaml", b"name: x\n", "error", "'touchweight'", 1),
    "a version to come": Case("m.yaml", b"touchweight: 99\n", "error", "format 1", 1),
    "no bodies": Case("m.yaml", HEAD.encode(), "problem", "at least one body"),
    "two documents": Case("m.yaml", SOUND.encode() + b"---\na: 1\n", "error", "one document", 6),
    "a tag that runs code": Case("m.yaml", _yaml("1.2", "!!python/object/apply:os.system [ls]"), "error", "tag", 3),
    "a tag of its own": Case("m.yaml", _yaml("1.2", "!mass 3"), "error", "tag", 3),
    "alias bomb": Case("m.yaml", _BOMB.encode(), "error", "aliases", None),
    "alias of itself": Case("m.yaml", HEAD.encode() + b"name: &a [*a]\n", "error", "anchor", 2),
    "alias of nothing": Case("m.yaml", HEAD.encode() + b"name: *ghost\n", "error", "ghost", 2),
    "merge key": Case("m.yaml", _yaml("{mass", "{<<: {com: [0, 0, 0]}, mass"), "error", "known key", 3),
    "a key twice": Case("m.yaml", _yaml("mass: 1.2", "mass: 1.2, mass: 3"), "error", "once", 3),
    "a body twice": Case("m.yaml", _yaml("joints:", "  arm: {}\njoints:"), "error", "once", 4),
    "a list as key": Case("m.yaml", _yaml("{mass: 1.2", "{[1]: 2, mass: 1.2"), "error", "as a key", 3),
    "unknown key": Case("m.yaml", _yaml("mass", "weight"), "error", "known key", 3),
    "misspelt key": Case("m.yaml", _yaml("inertia", "inertial"), "error", "did you mean inertia", 3),
    "misspelt section": Case("m.yaml", _yaml("joints", "jionts"), "error", "did you mean joints", 4),
    "open bracket": Case("m.yaml", SOUND.encode() + b"frames: {a: [\n", "error", "YAML"),
    "open quote": Case("m.yaml", _yaml("arm:", '"arm:'), "error", "YAML"),
    "tab": Case("m.yaml", _yaml("  arm", "\tarm"), "error", "YAML", 3),
    "control character": Case("m.yaml", _yaml("mass", "ma\x07ss"), "error", "YAML", None),
    "NUL": Case("m.yaml", _yaml("mass", "ma\0ss"), "error", "NUL", 3),
    "UTF-16": Case("m.yaml", SOUND.encode("utf-16"), "error", "UTF-8", 1),
    "broken UTF-8": Case("m.yaml", SOUND.encode() + b"name: \xc3\x28\n", "error", "UTF-8", 6),
    "a byte order mark is fine": Case("m.yaml", b"\xef\xbb\xbf" + SOUND.encode(), "fine", ""),
    "deep nesting": Case("m.yaml", HEAD.encode() + b"name: " + b"[" * 5000, "error", "nesting", 2),
    "deep blocks": Case("m.yaml", HEAD.encode() + b"\n".join(b" " * k + b"a:" for k in range(200)), "error", "nesting", None),
    "mass NaN": Case("m.yaml", _yaml("1.2", ".nan"), "error", "finite", 3),
    "mass infinite": Case("m.yaml", _yaml("1.2", "inf"), "error", "finite", 3),
    "mass too large": Case("m.yaml", _yaml("1.2", "1e400"), "error", "fits a double", 3),
    "mass too large to add": Case("m.yaml", _yaml("1.2", '"1e308*10"'), "error", "overflow", 3),
    "mass negative": Case("m.yaml", _yaml("1.2", "-1.2"), "problem", "at least 0"),
    "mass negative by its law": Case("m.yaml", _yaml("1.2", "{value: -3}"), "problem", "at least 0"),
    "mass that divides by zero": Case("m.yaml", _yaml("1.2", "1/(arm.com.z - arm.com.z)"), "error", "divisor", 3),
    "mass of the moment": Case("m.yaml", _yaml("1.2", "2 + q.hip"), "problem", "coordinate"),
    "mass in words": Case("m.yaml", _yaml("1.2", "heavy"), "error", "known name", 3),
    "mass a list": Case("m.yaml", _yaml("1.2", "[1]"), "error", "a list", 3),
    "mass true": Case("m.yaml", _yaml("1.2", "true"), "error", "known name", 3),
    "code in a law": Case("m.yaml", _yaml("1.2", "\"__import__('os').system('ls')\""), "error", "column", 3),
    "a deep law": Case("m.yaml", _yaml("1.2", '"' + "(" * 3000 + '1"'), "error", "nesting", 3),
    "inertia of four": Case("m.yaml", _yaml("[0.07, 0.07, 0.001]", "[1, 2, 3, 4]"), "error", "inertia", 3),
    "inertia negative": Case("m.yaml", _yaml("0.07, 0.07", "-0.07, 0.07"), "problem", "principal moments"),
    "joint of no kind": Case("m.yaml", _yaml("kind: revolute, ", ""), "error", "'kind'", 5),
    "joint to nowhere": Case("m.yaml", _yaml("child: arm", "child: leg"), "error", "leg", 5),
    "joint to itself": Case("m.yaml", _yaml("parent: ground", "parent: arm"), "problem", "two bodies"),
    "joint to the ground": Case("m.yaml", _yaml("parent: ground, child: arm", "parent: arm, child: ground"), "problem", "ground"),
    "a body that floats": Case("m.yaml", _yaml("joints:", "  loose: {mass: 1}\njoints:"), "problem", "leads to the ground"),
    "a body on two joints": Case("m.yaml", _more("  knee: {kind: revolute, parent: ground, child: arm}\n"), "problem", "cut the loop"),
    "a cycle": Case(
        "m.yaml",
        _yaml("joints:", "  b: {mass: 1}\n  c: {mass: 1}\njoints:\n  x: {kind: fixed, parent: b, child: c}\n"
              "  y: {kind: fixed, parent: c, child: b}"),
        "problem", "cycle",
    ),
    "nothing moves a mass": Case("m.yaml", _yaml("{mass: 1.2, com: [0, 0, -0.4], inertia: [0.07, 0.07, 0.001]}", "{}"), "problem", "move some mass"),
    "a point mass on its axis": Case("m.yaml", _yaml("com: [0, 0, -0.4], inertia: [0.07, 0.07, 0.001]", "com: [0, 2, 0]"), "problem", "move some mass"),
    "a force on no speed": Case("m.yaml", _more("forces: {f: {kind: joint_law, speed: knee, law: 1}}\n"), "problem", "knee"),
    "a law on acceleration": Case(
        "m.yaml",
        _more("sensors: {s: {kind: acceleration, frame: arm}}\nforces: {f: {kind: joint_law, speed: hip, law: s.x}}\n"),
        "problem", "acceleration",
    ),
    "a spring between one point": Case("m.yaml", _more("forces: {f: {kind: spring, between: [arm, arm], stiffness: 1}}\n"), "problem", "same one twice"),
    "an input and a state of one name": Case("m.yaml", _more("inputs: {x: {}}\nstates: {x: {rate: 0}}\n"), "problem", "one meaning"),
    "a parameter out of bounds": Case("m.yaml", _more("parameters: {k: {value: 5, maximum: 3}}\n"), "problem", "at most 3"),
    "bounds exchanged": Case("m.yaml", _more("parameters: {k: {value: 5, minimum: 9, maximum: 3}}\n"), "problem", "minimum below"),
    "gravity of two": Case("m.yaml", _more("gravity: [0, 0]\n"), "error", "3 entries", 6),
    "gravity in words": Case("m.yaml", _more("gravity: down\n"), "error", "a list of 3", 6),
    "a force of no kind": Case("m.yaml", _more("forces: {f: {kind: magic}}\n"), "error", "magic", 6),
    "loop of no kind": Case("m.yaml", _more("loops: {x: {a: arm, b: ground}}\n"), "error", "'kind'", 6),
    "loop of an unknown kind": Case("m.yaml", _more("loops:\n  x: {kind: glue, a: arm, b: ground}\n"), "error", "loop kind among body", 7),
    "loop with one end": Case("m.yaml", _more("loops:\n  x: {kind: ball, a: arm}\n"), "error", "'b'", 7),
    "loop to nowhere": Case("m.yaml", _more("loops:\n  x: {kind: ball, a: arm, b: moon}\n"), "error", "moon", 7),
    "loop on one body": Case("m.yaml", _more("loops:\n  x: {kind: rod, length: 1, a: arm, b: arm}\n"), "problem", "two bodies"),
    "loop as a list": Case("m.yaml", _more("loops: [{kind: ball}]\n"), "error", "a mapping", 6),
    "loop as text": Case("m.yaml", _more("loops:\n  x: ball\n"), "error", "a mapping", 7),
    "loop with a wrong axis": Case("m.yaml", _more("loops:\n  x: {kind: hinge, a: arm, b: ground, axis: [0, 0]}\n"), "error", "3 entries", 7),
    "loop twice": Case("m.yaml", _more("loops:\n  x: {kind: rod, a: arm, b: ground, length: 1}\nconstraints:\n  x: {expression: q.hip}\n"), "error", "a second time", 9),
    "rod without length": Case("m.yaml", _more("loops:\n  x: {kind: rod, a: arm, b: ground}\n"), "problem", "positive length"),
    "rod of negative length": Case("m.yaml", _more("loops:\n  x: {kind: rod, a: arm, b: ground, length: -1}\n"), "problem", "at least 0"),
    "rod of infinite length": Case("m.yaml", _more("loops:\n  x: {kind: rod, a: arm, b: ground, length: inf}\n"), "error", "finite", 7),
    "loop with more rows than speeds": Case("m.yaml", _more("loops:\n  x: {kind: ball, a: arm, b: ground}\n"), "problem", "one for each speed"),
    "loop with a hostile name": Case("m.yaml", _more('loops:\n  "*/ ` \\" \\\\ é": {kind: rod, a: arm, b: {body: ground, origin: [1, 0, 0]}, length: 1}\n'), "fine", ""),
    "loop without a name": Case("m.yaml", _more('loops:\n  "": {kind: rod, a: arm, b: ground, length: 1}\n'), "error", "non-empty", 7),
    "loop named in half a character": Case("m.yaml", _more('loops:\n  "\\ud800": {kind: rod, a: arm, b: ground, length: 1}\n'), "error", ""),
    "constraint of nothing": Case("m.yaml", _more("constraints: {c: {}}\n"), "error", "'expression'", 6),
    "constraint that holds nothing": Case("m.yaml", _more("constraints: {c: {expression: t}}\n"), "problem", "equation of coordinates"),
    "constraint on a level to come": Case("m.yaml", _more("constraints: {c: {expression: q.hip, level: jerk}}\n"), "error", "position or speed", 6),
    "constraint that bends": Case("m.yaml", _more("constraints: {c: {expression: v.hip**2, level: speed}}\n"), "problem", "linear"),
    "constraint with a speed": Case("m.yaml", _more("constraints: {c: {expression: v.hip}}\n"), "problem", "the speed"),
    "constraint that runs code": Case("m.yaml", _more("constraints: {c: {expression: __import__(os)}}\n"), "error", "column", 6),
    "constraint as a list": Case("m.yaml", _more("constraints: {c: {expression: [q.hip]}}\n"), "error", "a list", 6),
    "constraint of an unknown kind": Case("m.yaml", _more("constraints: {c: {kind: belt}}\n"), "error", "constraint kind among", 6),
    "gear of one": Case("m.yaml", _more("constraints: {c: {kind: gear, first: hip, ratio: 2}}\n"), "error", "'second'", 6),
    "gear without ratio": Case("m.yaml", _more("constraints: {c: {kind: gear, first: hip, second: hip}}\n"), "error", "'ratio'", 6),
    "gear to nobody": Case("m.yaml", _more("constraints: {c: {kind: gear, first: hip, second: knee, ratio: 2}}\n"), "error", "knee", 6),
    "drive of nobody": Case("m.yaml", _more("drives:\n  knee: {motion: t}\n"), "error", "knee", 7),
    "drive by itself": Case("m.yaml", _more("drives: {hip: {motion: q.hip}}\n"), "problem", "the coordinate"),
    "drive by a list": Case("m.yaml", _more("drives: {hip: {motion: [t]}}\n"), "error", "a list", 6),
    "drive from outside": Case("m.yaml", _more("drives: {hip: }\n"), "fine", ""),
    "drive whose input is there": Case("m.yaml", _more("inputs: {hip.position: {}}\ndrives:\n  hip: {}\n"), "error", "a second time", 8),
    "drive by inputs that are not there": Case("m.yaml", _more("drives: {hip: {inputs: [a, b, c]}}\n"), "error", "an input", 6),
    "mode with nobody": Case("m.yaml", _more("modes:\n  m: {active: [ghost]}\n"), "error", "ghost", 7),
    "mode that locks nobody": Case("m.yaml", _more("modes:\n  m: {locked: [ghost]}\n"), "error", "ghost", 7),
    "mode that locks text": Case("m.yaml", _more("modes:\n  m: {locked: hip}\n"), "error", "a list", 7),
    "mode that locks a list": Case("m.yaml", _more("modes:\n  m: {locked: [[hip]]}\n"), "error", "expected text", 7),
    "driven and locked": Case("m.yaml", _more("drives: {hip: {motion: t}}\nmodes: {m: {locked: [hip]}}\n"), "problem", "which is both"),
    "mode that nothing leads to": Case("m.yaml", _more("modes: {a: {}, b: {}}\n"), "problem", "lead to it"),
    "transition without modes": Case("m.yaml", _more("transitions:\n  t: {from: a, to: b, when: t}\n"), "error", "a mode among none", 7),
    "transition to nowhere": Case("m.yaml", _more("modes: {a: {}}\ntransitions:\n  t: {from: a, to: b, when: t}\n"), "error", "found 'b'", 8),
    "transition without a guard": Case("m.yaml", _more("modes: {a: {}}\ntransitions:\n  t: {from: a, to: a}\n"), "error", "'when'", 8),
    "transition on a condition": Case("m.yaml", _more("modes: {a: {}}\ntransitions:\n  t: {from: a, to: a, when: t < 1}\n"), "error", "select", 8),
    "transition on a force that is none": Case("m.yaml", _more("modes: {a: {}}\ntransitions:\n  t: {from: a, to: a, when: force.x}\n"), "error", "known name", 8),
    "transition that sets nobody": Case("m.yaml", _more("modes: {a: {}}\ntransitions:\n  t: {from: a, to: a, when: t, reset: {hip: 1}}\n"), "error", "a reset can set", 8),
    "transition that hits a speed": Case("m.yaml", _more("modes: {a: {}}\ntransitions: {t: {from: a, to: a, when: v.hip, restitution: 0.5}}\n"), "problem", "guard of positions"),
    "transition with a restitution of two": Case("m.yaml", _more("modes: {a: {}}\ntransitions: {t: {from: a, to: a, when: q.hip, restitution: 2}}\n"), "problem", "from 0 to 1"),
    "transition with a hostile name": Case("m.yaml", _more('modes: {"*/ `": {}}\ntransitions: {"\\" \\\\ é": {from: "*/ `", to: "*/ `", when: q.hip, restitution: 1}}\n'), "fine", ""),
    "a condition as a number": Case("m.yaml", _yaml("1.2", '"1 < arm.com.z"'), "error", "select", 3),
    "names with everything": Case(
        "m.yaml", SOUND.replace("arm", '"*/ ` \\" \\\\ é"').encode(), "fine", ""
    ),
    "name with a newline": Case("m.yaml", SOUND.replace("arm", '"a\\nb"').encode(), "problem", "U+000A"),
    "name with half a character": Case("m.yaml", SOUND.replace("arm", '"\\ud800"').encode(), "error", ""),
    "the body ground": Case("m.yaml", _yaml("arm", "ground"), "error", "ground", 3),
    "nothing for a name": Case("m.yaml", _yaml("arm", '""'), "error", "non-empty", 3),
    "text that is no YAML of ours": Case("m.txt", b"once upon a time", "error", "something else"),
}  # fmt: skip

CASES: dict[str, Case] = {
    **{f"urdf: {k}": v for k, v in URDF.items()},
    **{f"mjcf: {k}": v for k, v in MJCF.items()},
    **{f"yaml: {k}": v for k, v in YAML.items()},
}

#: sound files that fuzzing starts from
SOUND_FILES: dict[str, bytes] = {
    "m.urdf": _arm(),
    "m.yaml": SOUND.encode(),
    "m.xml": _model("<joint/><geom size='1'/>"),
}

_RICH_MJCF = b"""<mujoco><compiler angle="radian" boundmass="0.1" balanceinertia="true"/>
<option gravity="0 0 -1"><flag gravity="enable"/></option>
<default><geom type="capsule" size="0.05 0.1"/><default class="leg"><joint axis="1 0 0" range="-1 1"/></default></default>
<worldbody><site name="home"/><body name="a" childclass="leg" euler="0 0 1"><joint name="j" pos="0 0 1" damping="1"/>
<geom/><frame pos="0 0 1" axisangle="1 0 0 1"><body name="b"><joint type="ball"/><geom fromto="0 0 0 1 0 0"/></body></frame>
<inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0"/><site name="j" zaxis="1 0 1"/></body>
<body><freejoint/><geom type="box" size="1 1 1" mass="2"/></body></worldbody>
<actuator><motor name="m" joint="j" gear="3" ctrlrange="-1 1"/></actuator>
<equality><connect name="c" body1="a" body2="b" anchor="0 0 1"/><weld body1="a" relpose="0 0 1 1 0 0 0" anchor="0 1 0"/>
<weld site1="home" site2="j"/><joint joint1="j" polycoef="1 2"/></equality></mujoco>"""

#: sound files with more in them, for the same
RICH_FILES: dict[str, list[bytes]] = {
    "m.urdf": [_arm("<axis", '<origin xyz="1 2 3" rpy="0 0 1"/><limit lower="-1" upper="1"/><mimic joint="j"/><dynamics damping="1"/><axis'), _ball()],
    "m.yaml": [READABLE.encode(), SWITCHING.encode()],
    "m.xml": [_RICH_MJCF],
}  # fmt: skip
