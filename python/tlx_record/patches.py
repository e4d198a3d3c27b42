"""Temporary changes of other packages' attributes, undone in reverse order."""
_ABSENT = object()


class Patches:
    def __init__(self):
        self.undo = []

    def set(self, owner, name, value):
        self.undo.append((owner, name, owner.__dict__.get(name, _ABSENT)))
        setattr(owner, name, value)

    def restore(self):
        while self.undo:
            owner, name, old = self.undo.pop()
            if old is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, old)
