"""File names of kernels."""
import re


def file_name(kernel):
    """A kernel's name as part of a file's: programs make names of anything, and files stay in the folder that was asked for."""
    return re.sub(r"[^\w-]", "_", kernel) or "_"
