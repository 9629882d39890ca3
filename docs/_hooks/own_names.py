"""Document each name where it is defined: the reference leaves out what a module only passes on."""

import griffe


class OwnNames(griffe.Extension):
    """Take imported names out of every `__all__` the reference is made from."""

    def on_package(self, *, pkg: griffe.Module, **_: object) -> None:
        """Called when the whole package has been read."""
        modules = [pkg]
        for module in modules:
            modules += module.modules.values()
            if module.exports:
                own = [n for n in module.exports if n in module.members and not module.members[n].is_alias]
                module.exports = own or None
