# sites.py LIBRARY [SECONDS]: a Python program that launches a kernel, on the mock; with
# SECONDS again and again for so long, and works on a batch in front of each launch.
import ctypes
import sys
import time

mock = ctypes.CDLL(sys.argv[1])
mock.mock_context_create.restype = ctypes.c_void_p
mock.mock_kernel_launch.argtypes = [ctypes.c_void_p, ctypes.c_void_p]


class Function(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char * 64),
        ("regs", ctypes.c_uint32),
        ("smem_static", ctypes.c_uint32),
        ("duration_ns", ctypes.c_uint64),
    ]


class Launch(ctypes.Structure):
    _fields_ = [
        ("function", ctypes.POINTER(Function)),
        ("stream", ctypes.c_uint32),
        ("grid", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("smem_dynamic", ctypes.c_uint32),
        ("result", ctypes.c_int),
    ]


def train_step(context, launch):
    return mock.mock_kernel_launch(context, ctypes.byref(launch))  # LAUNCH


def prepare(batch):
    end = time.monotonic() + 0.006
    while time.monotonic() < end:
        batch = sorted(batch * 20)[::20]  # PREPARES
    return batch


def fit(context, launch, seconds):
    end = time.monotonic() + seconds
    batch = [0.0] * 200
    while time.monotonic() < end:
        batch = prepare(batch)
        assert train_step(context, launch) == 0


def epoch(context, launch, steps):
    for _ in range(steps):
        assert train_step(context, launch) == 0


why = ctypes.c_char_p()
assert mock.mock_init(ctypes.byref(why)) > 0, why.value
function = Function(name=b"_Z7kernel0Pf", regs=32, duration_ns=2000)
context = mock.mock_context_create(0)
launch = Launch(ctypes.pointer(function), 0, (8, 1, 1), (64, 1, 1), 0, 0)
if len(sys.argv) > 2:
    fit(context, launch, float(sys.argv[2]))
else:
    epoch(context, launch, 20)
