"""PyTorch on a machine without a GPU, so that a program for one runs: tensors asked for on "cuda" live on the CPU."""
import types

MATRIX_PRODUCTS = {
    "matmul", "mm", "bmm", "addmm", "baddbmm", "__matmul__", "linear", "einsum", "scaled_dot_product_attention", "softmax",
}  # fmt: skip
LARGE_PRODUCT = 1 << 18  # elements of an operand above which a reference nobody compares with is skipped


class _Nothing:
    """Streams, events, device guards: accepted, and nothing happens."""

    cuda_stream = 0

    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def elapsed_time(self, _):
        return 1.0

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: None


def on_cpu(value, torch):
    if isinstance(value, torch.device) and value.type in ("cuda", "hip"):
        return torch.device("cpu")
    if isinstance(value, str) and value.split(":")[0] == "cuda":
        return "cpu"
    return value


def host_mode(torch, skip_references):
    """A torch function mode that sends work for the GPU to the CPU.

    skip_references: large matrix products give zeros of the right shape, because nothing is compared with them.
    """

    class HostMode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, _, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            if "device" in kwargs:
                kwargs["device"] = on_cpu(kwargs["device"], torch)
            args = tuple(on_cpu(a, torch) for a in args)
            name = getattr(function, "__name__", "")
            if name == "cuda":
                return args[0]
            if name == "pin_memory":
                return args[0]
            if skip_references and name in MATRIX_PRODUCTS and large(args, kwargs):
                return zeros_like_result(function, args, kwargs)
            return function(*args, **kwargs)

    def tensors(args, kwargs):
        return [a for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor)]

    def large(args, kwargs):
        return any(t.numel() >= LARGE_PRODUCT for t in tensors(args, kwargs))

    def zeros_like_result(function, args, kwargs):
        meta = lambda a: a.to("meta") if isinstance(a, torch.Tensor) else a
        with torch._C.DisableTorchFunctionSubclass(), torch.no_grad():
            shape = function(*map(meta, args), **{k: meta(v) for k, v in kwargs.items()})
        return Zeros.apply(shape.shape, shape.dtype, *tensors(args, kwargs))

    class Zeros(torch.autograd.Function):
        """Zeros with a gradient of zeros."""

        @staticmethod
        def forward(context, shape, dtype, *operands):
            context.operands = operands
            return torch.zeros(shape, dtype=dtype)

        @staticmethod
        def backward(context, _):
            return None, None, *map(torch.zeros_like, context.operands)

    return HostMode()


def patch(patches, target, check):
    """Makes torch.cuda answer for target. Unless check, large references are not computed."""
    import torch

    properties = types.SimpleNamespace(
        multi_processor_count=target.sms, name=target.name, major=target.capability[0], minor=target.capability[1],
        total_memory=1 << 37, gcnArchName=str(target.arch), warp_size=target.warp_size,
        shared_memory_per_block_optin=target.shared_memory, shared_memory_per_multiprocessor=target.shared_memory,
    )  # fmt: skip
    answers = {
        "is_available": lambda: True, "device_count": lambda: 1, "current_device": lambda: 0, "set_device": lambda _: None,
        "get_device_capability": lambda _=None: target.capability, "get_device_properties": lambda _=None: properties,
        "get_device_name": lambda _=None: target.name, "synchronize": lambda _=None: None, "empty_cache": lambda: None,
        "manual_seed": lambda _: None, "manual_seed_all": lambda _: None, "_lazy_init": lambda: None,
        "device": _Nothing, "stream": _Nothing, "Stream": _Nothing, "Event": _Nothing, "current_stream": lambda _=None: _Nothing(),
        "is_current_stream_capturing": lambda: False, "memory_allocated": lambda _=None: 0,
        "reset_peak_memory_stats": lambda _=None: None, "max_memory_allocated": lambda _=None: 0,
        "mem_get_info": lambda _=None: (1 << 37, 1 << 37),
    }  # fmt: skip
    for name, answer in answers.items():
        patches.set(torch.cuda, name, answer)
    if target.backend == "hip":
        patches.set(torch.version, "hip", "7.0")
    patches.set(torch.Tensor, "is_cuda", property(lambda _: True))
    generator = torch.Generator
    patches.set(torch, "Generator", lambda device="cpu": generator("cpu"))
    # Compiled functions would be compiled for the GPU; as they stand they compute the same.
    patches.set(torch, "compile", lambda model=None, **_: model if model is not None else lambda function: function)
    mode = host_mode(torch, skip_references=not check)
    mode.__enter__()
    patches.undo.append((_Closer(mode), "close", None))


class _Closer:
    """Leaves a mode when its patch is undone."""

    def __init__(self, mode):
        object.__setattr__(self, "mode", mode)

    def __setattr__(self, name, value):
        self.mode.__exit__(None, None, None)
