"""Names of the files that are written."""
import os
import re


def file_name(kernel):
    """A kernel's name as part of a file's: programs make names of anything, and files stay in the folder that was asked for."""
    return re.sub(r"[^\w-]", "_", kernel) or "_"


def in_folder(folder, name):
    """The path of a file that is to be written there; a link of that name, which would lead elsewhere, is removed."""
    path = os.path.join(folder, name)
    if os.path.islink(path):
        os.remove(path)
    return path
