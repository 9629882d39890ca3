"""Cutting a long body into several C functions, so that compile time grows with its length and not faster.

Values that one piece makes and another reads travel through a work array.
"""

from __future__ import annotations

from ..symbolic import Const, Expr, Symbol
from .infix import Infix
from .program import Program


def emit_split(program: Program, chunk: int) -> list[str]:
    """C functions ``piece0``, ``piece1``, ... and ``evaluate`` that calls them in order."""
    from .c import EVALUATE, _call, _function, c_number, slot_names

    body = program.body
    where_in = {s: (k, i) for k, symbols in enumerate(program.function.inputs.values()) for i, s in enumerate(symbols)}
    stores = [f"out[{k}][{i}]" for k, n in enumerate(program.sizes_out.values()) for i in range(n)]
    slots = slot_names(program)

    # which piece makes each temporary, and when each result can be stored
    pieces = [body.steps[i : i + chunk] for i in range(0, len(body.steps), chunk)]
    home: dict[Expr, int] = {n: k for k, piece in enumerate(pieces) for n in piece}
    trig: dict[Expr, str] = {}
    for k, pair in enumerate(body.angles):
        for node, array in ((pair.sine, "sn"), (pair.cosine, "cs")):
            if node is not None:
                trig[node] = f"{array}[{k}]"
    results: list[list[int]] = [[] for _ in pieces]
    for r, node in enumerate(body.results):
        results[max((home[n] for n in _reads(node, home, include=True)), default=0)].append(r)

    crossing: dict[Expr, int] = {}
    for k, piece in enumerate(pieces):
        readers = [*piece, *(body.results[r] for r in results[k])]
        for node in readers:
            for n in _reads(node, home, include=node not in home):
                if home[n] < k:
                    crossing.setdefault(n, len(crossing))

    functions: list[str] = []
    head = (
        "static TW_NOINLINE void piece{k}(const tw_slot *TW_RESTRICT c, const tw_real *const *in, "
        "tw_real *const *out, const tw_real *sn, const tw_real *cs, tw_real *TW_RESTRICT w)"
    )
    for k, piece in enumerate(pieces):
        infix = Infix(c_number, _call)
        names = infix.names
        names.update(slots)
        scalars = set(slots)
        infix.lift = lambda node, text, scalars=scalars: (  # type: ignore[misc]
            f"tw_set1({text})" if isinstance(node, Const) else f"TW_SLOT({text})" if node in scalars else text
        )
        lines = ["(void)c; (void)in; (void)out; (void)sn; (void)cs; (void)w;"]
        loaded: set[Expr] = set()

        def load(
            node: Expr,
            loaded: set[Expr] = loaded,
            names: dict[Expr, str] = names,
            lines: list[str] = lines,
            k: int = k,
        ) -> None:
            for n in _leaves(node, home, trig):
                if n in loaded:
                    continue
                loaded.add(n)
                if n in trig:
                    source = trig[n]
                elif n in where_in:
                    source = "in[{}][{}]".format(*where_in[n])  # type: ignore[index]
                elif n in home and home[n] < k:
                    source = f"w[{crossing[n]}]"
                else:
                    continue
                name = f"r{len(loaded)}"
                lines.append(f"const tw_real {name} = {source};")
                names[n] = name

        for i, node in enumerate(piece):
            load(node)
            lines.append(f"const tw_real t{i} = {infix.definition(node)};")
            names[node] = f"t{i}"
            loaded.add(node)
            if node in crossing:
                lines.append(f"w[{crossing[node]}] = t{i};")
        for r in results[k]:
            node = body.results[r]
            load(node)
            lines.append(f"{stores[r]} = {infix.lift(node, infix.text(node))};")
        functions.append(_function(head.format(k=k), lines))

    n = max(1, len(body.angles))
    lines = ["(void)c; (void)in; (void)out;", f"tw_real ang[{n}], sn[{n}], cs[{n}], w[{max(1, len(crossing))}];"]
    infix = Infix(c_number, _call)
    infix.names.update(slots)
    infix.names.update({s: "in[{}][{}]".format(*at) for s, at in where_in.items()})
    for k, pair in enumerate(body.angles):
        text = infix.text(pair.angle)
        lines.append(f"ang[{k}] = {'TW_SLOT(' + text + ')' if pair.angle in slots else text};")
    lines.append(f"tw_sincos_all(ang, sn, cs, {len(body.angles)});" if body.angles else "(void)ang; (void)sn; (void)cs;")
    lines += [f"piece{k}(c, in, out, sn, cs, w);" for k in range(len(pieces))]
    functions.append(_function(EVALUATE, lines))
    return functions


def _reads(node: Expr, home: dict[Expr, int], include: bool = False) -> list[Expr]:
    """The temporaries that a node's own statement reads."""
    if include and node in home:
        return [node]
    found: list[Expr] = []
    stack = list(node.children)
    unit = getattr(node, "unit", None)
    if unit is not None and unit is not node:
        stack.append(unit)
    while stack:
        n = stack.pop()
        if n in home:
            found.append(n)
        else:
            stack.extend(n.children)
            unit = getattr(n, "unit", None)
            if unit is not None and unit in home:
                found.append(unit)
    return found


def _leaves(node: Expr, home: dict[Expr, int], trig: dict[Expr, str]) -> list[Expr]:
    """Temporaries, inputs, sines and cosines that a node's own statement reads."""
    found: list[Expr] = []
    stack = [node] if node not in home else list(node.children)
    unit = getattr(node, "unit", None)
    if node in home and unit is not None and unit is not node and unit in home:
        found.append(unit)
    while stack:
        n = stack.pop()
        if n in home or n in trig or isinstance(n, Symbol):
            found.append(n)
            continue
        unit = getattr(n, "unit", None)
        if unit is not None and unit is not n and unit in home:
            found.append(unit)
        stack.extend(n.children)
    return found
