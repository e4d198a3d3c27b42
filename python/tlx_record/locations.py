"""File names in the locations of recorded IR."""
import os
import re

_PATH = re.compile(r'"(/[^"\n]+\.py)"')


def shorten(text):
    """Names files below the current folder relative to it, and those of installed packages by their package."""
    here = os.getcwd() + os.sep

    def short(match):
        path = match.group(1)
        if path.startswith(here):
            path = path[len(here):]
        else:
            path = re.split(r"/(?:site|dist)-packages/", path)[-1]
        return '"%s"' % path

    return _PATH.sub(short, text)
