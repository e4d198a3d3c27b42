"""The driver that stands in for a GPU: Triton compiles for the target, and launches end here."""


def benchmark(run, *_, quantiles=None, **__):
    """In place of triton.testing.do_bench: one launch, and a time that prefers nothing."""
    run()
    return [1.0] * len(quantiles) if quantiles else 1.0


class Utilities:
    """What Triton asks of a device's library; a loaded binary is (module, function, registers, spills, threads)."""

    def __init__(self, target):
        self.target = target

    def get_device_properties(self, _):
        return {
            "max_shared_mem": self.target.shared_memory, "multiprocessor_count": self.target.sms, "max_num_regs": 65536,
            "warpSize": self.target.warp_size, "sm_clock_rate": 1000000, "mem_clock_rate": 1000000, "mem_bus_width": 5120,
            "arch": str(self.target.arch),
        }  # fmt: skip

    def load_binary(self, *_):
        return (1, 1, 32, 0, 1024)

    def unload_module(self, _):
        pass

    def set_printf_fifo_size(self, _):
        pass

    def __getattr__(self, name):
        if name.startswith("fill_") and "descriptor" in name:
            return lambda *_: None
        raise AttributeError(name)


def make_driver(target, on_launch):
    """A Triton driver for target; on_launch(source, metadata, grid, values) is called for each launch."""
    from triton.backends.compiler import GPUTarget

    triton_target = GPUTarget(target.backend, target.arch, target.warp_size)

    class Launcher:
        def __init__(self, source, metadata):
            self.source, self.metadata = source, metadata

        def __call__(self, x, y, z, stream, function, packed, launch_metadata, enter, exit, *values):
            on_launch(self.source, self.metadata, (x, y, z), values)

    class Driver:
        launcher_cls = Launcher
        utils = Utilities(target)

        @staticmethod
        def is_active():
            return True

        def get_current_target(self):
            return triton_target

        def get_current_device(self):
            return 0

        def set_current_device(self, _):
            pass

        def get_current_stream(self, _=None):
            return 0

        def get_device_capability(self, _=None):
            return target.capability

        def get_device_interface(self):
            import torch

            return torch.cuda

        def get_active_torch_device(self):
            import torch

            return torch.device("cpu")

        def map_python_to_cpp_type(self, type_):
            return type_

        def get_benchmarker(self):
            return benchmark

        def get_empty_cache_for_benchmark(self):
            return None

        def clear_cache(self, _):
            pass

    return Driver()
