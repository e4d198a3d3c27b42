"""The synchronisation and memory events of a module's text, per task and in order.

A task is a function, or inside it a region of ttg.warp_specialize: its default region or one of its
partitions. An event is an operation that touches memory, a barrier or an asynchronous engine, with
its attributes, its types, those operands that are constants, and the loops and branches it sits in.
Address arithmetic is no event: neither are views of buffers.
"""
import re

import normalise

# Pure operations of the dialects that otherwise make events.
PURE = {
    "ttg.memdesc_index", "ttg.memdesc_subslice", "ttg.memdesc_trans", "ttg.memdesc_reshape", "ttg.memdesc_reinterpret",
    "ttg.convert_layout", "ttng.tmem_subslice", "ttng.map_to_remote_buffer", "ttng.cluster_size_1d",
    "ttng.reinterpret_tensor_descriptor", "ttng.vote_ballot_sync", "tlx.require_layout", "tlx.release_layout",
    "tlx.local_alias", "tlx.reuse_group", "ttg.warp_yield", "ttg.warp_return", "amdg.extract_slice", "amdg.concat",
}
MEMORY = re.compile(r"(ttg|ttng|tlx|amdg|nvws)\.[\w.]+$|gpu\.barrier$|rocdl\.\w*barrier$|"
                    r"tt\.(load|store|atomic_\w+|descriptor_\w+|print|assert|call|make_tensor_descriptor)$")
OPERATION = re.compile(r'^\s*(?:%[^=]*? = )?"?([a-z_]+\.[\w.]+)"?(.*)$')
CONSTANT = re.compile(r"^\s*(%\d+) = arith\.constant (.*?)(?: : (?:i\d+|index))?$")
FUNCTION = re.compile(r"tt\.func .*?@([\w$.]+|\"[^\"]*\")")


def eventsOf(text):
    """{task: [event]}; a task is "function", "function/ws0/default", "function/ws0/partition1"…"""
    constants, tasks, stack = {}, {}, []
    function, specializations = "", 0

    def task():
        names = [frame for frame in stack if frame.startswith(("ws", "default", "partition"))]
        return "/".join([function, *names])

    def nesting():
        inner = []
        for frame in stack:
            if frame.startswith(("ws", "default", "partition")):
                inner = []
            elif frame:
                inner.append(frame)
        return ">".join(inner)

    for line in normalise.contents(text):
        stripped = line.strip()
        if stripped.startswith("}") and stack:
            stack.pop()
        constant = CONSTANT.match(line)
        if constant:
            constants[constant.group(1)] = constant.group(2)
            continue
        found = FUNCTION.search(stripped)
        frame = ""
        if found:
            function, specializations = found.group(1), 0
        elif re.match(r"(default|partition\d+)\b", stripped):
            if stripped.startswith("default"):
                frame = "ws%d/default" % specializations
                specializations += 1
            else:
                frame = "ws%d/%s" % (specializations - 1, re.match(r"partition\d+", stripped).group())
            tasks.setdefault("/".join([function, frame]), [])
        elif stripped.startswith("} else"):
            frame = "else"
        elif stripped.startswith("} do"):
            frame = "do"
        else:
            operation = OPERATION.match(line)
            if operation:
                name, rest = operation.groups()
                if name in ("scf.for", "scf.while", "scf.if"):
                    frame = name[4:]
                if MEMORY.match(name) and name not in PURE and name != "ttg.warp_specialize":
                    rest = re.sub(r"%\d+(?:#\d+)?", lambda m: constants.get(m.group(), "%"), rest)
                    tasks.setdefault(task(), []).append((nesting(), name + rest))
        if stripped.endswith("{"):
            stack.append(frame)
    return tasks
