"""What goes wrong, in one line and with a remedy."""


class RecordError(Exception):
    """A mistake of the user's that has a remedy.

    message: what is wrong. hint: what to do about it.
    """

    def __init__(self, message, hint=""):
        super().__init__(message)
        self.hint = hint

    def __str__(self):
        text = super().__str__()
        return "%s\n  hint: %s" % (text, self.hint) if self.hint else text
