"""The GPUs that a program can be recorded for, as far as a program can ask about them.

Numbers are those of the vendors' data sheets; tests/python compares them with the simulator's chip tables.
"""
from dataclasses import dataclass

from .errors import RecordError


@dataclass(frozen=True)
class Target:
    """A GPU as Triton names it. shared_memory: bytes that one CTA can have; sms: multiprocessors or compute units."""

    backend: str
    arch: object
    warp_size: int
    name: str
    capability: tuple
    sms: int
    shared_memory: int

    def __str__(self):
        return "%s:%s" % (self.backend, self.arch)


TARGETS = {
    str(target): target
    for target in (
        Target("cuda", 80, 32, "NVIDIA A100", (8, 0), 108, 166912),
        Target("cuda", 90, 32, "NVIDIA H100", (9, 0), 132, 232448),
        Target("cuda", 100, 32, "NVIDIA B200", (10, 0), 148, 232448),
        Target("cuda", 103, 32, "NVIDIA B300", (10, 3), 148, 232448),
        Target("hip", "gfx942", 64, "AMD Instinct MI300X", (9, 4), 304, 65536),
        Target("hip", "gfx950", 64, "AMD Instinct MI350X", (9, 5), 256, 163840),
        Target("hip", "gfx1250", 32, "gfx1250", (12, 5), 256, 327680),
    )
}


def find_target(name):
    """The target called name, such as "cuda:90". RecordError when there is none."""
    try:
        return TARGETS[name]
    except KeyError:
        raise RecordError("unknown target '%s'" % name, "known targets: " + ", ".join(TARGETS)) from None
