"""How the reference reads the sources: each name where it is defined, roles in docstrings as code."""

import re

import griffe

ROLE = re.compile(r":(?:attr|class|data|func|meth|mod):`~?([^`]+)`")


class Reference(griffe.Extension):
    """Used by mkdocstrings; see mkdocs.yml."""

    def on_package(self, *, pkg: griffe.Module, **_: object) -> None:
        """Take imported names out of every `__all__`, so that a package documents only what is its own."""
        modules = [pkg]
        for module in modules:
            modules += module.modules.values()
            if module.exports:
                own = [n for n in module.exports if n in module.members and not module.members[n].is_alias]
                module.exports = own or None

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Write :meth:`name` as `name`: docstrings are shown as Markdown."""
        if obj.docstring:
            obj.docstring.value = ROLE.sub(r"`\1`", obj.docstring.value)
