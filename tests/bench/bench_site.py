# bench_site.py LIBRARY: what the Python frames of a call stack cost. LIBRARY is
# the shared object of the unit test of call stacks.
import ctypes
import sys
import time

library = ctypes.CDLL(sys.argv[1])
out = ctypes.create_string_buffer(8192)
ROUNDS = 200


def leaf():
    begin = time.perf_counter()
    for _ in range(ROUNDS):
        n = library.host_python(out, 8192)
    return (time.perf_counter() - begin) / ROUNDS * 1e6, n


def deep(n):
    return deep(n - 1) if n else leaf()


for frames in (5, 10, 20, 40, 80):
    us, n = deep(frames - 3)
    print(f"Python stack of {frames:2} frames  {us:8.1f} us, {n} bytes")
