"""Which configurations of an autotuned kernel are recorded."""
import importlib.util
import math

from .driver import benchmark


def limit_configurations(patches, most):
    """Autotuned kernels launch at most `most` configurations that compile (None: all), in their order."""
    from triton.runtime import autotuner

    run, bench = autotuner.Autotuner.run, autotuner.Autotuner._bench

    def limited_run(self, *args, **kwargs):
        self.tlx_recorded = 0
        self.perf_model = None  # it would ask the device
        return run(self, *args, **kwargs)

    def limited_bench(self, *args, config, **meta):
        if most is not None and self.tlx_recorded >= most:
            return [math.inf] * 3
        times = bench(self, *args, config=config, **meta)
        slow = times[0] if isinstance(times, (list, tuple)) else times
        self.tlx_recorded += not math.isinf(slow)
        return times

    find = importlib.util.find_spec

    def find_or_none(name, package=None):
        try:
            return find(name, package)
        except ModuleNotFoundError:  # the autotuner asks for a submodule of torch, which may be absent
            return None

    patches.set(importlib.util, "find_spec", find_or_none)
    patches.set(autotuner.Autotuner, "do_bench", property(lambda _: benchmark))
    patches.set(autotuner.Autotuner, "run", limited_run)
    patches.set(autotuner.Autotuner, "_bench", limited_bench)
