# bench_look.py LIBRARY: what looks at the frames of a Python thread cost (injection/seen.h),
# the thread that looks and the one that is looked at. LIBRARY is the shared object of the
# unit test of call stacks.
import ctypes
import statistics
import sys
import threading
import time

library = ctypes.CDLL(sys.argv[1])
library.host_thread.restype = ctypes.c_void_p
library.host_look.argtypes = [ctypes.c_void_p] + [ctypes.c_int] * 3
library.host_look.restype = ctypes.c_uint64
RATE = 1000  # looks a second while a thread is busy: ten times as many as in a run
PAIRS = 150


def deep(n, f):
    return deep(n - 1, f) if n else f()


def costs():
    known = min(library.host_look(thread, 1000, 0, 0) for _ in range(9))
    new = min(library.host_look(thread, 1000, 1, 0) for _ in range(9))
    return known / 1e3, new / 1e3


def work():
    """Its time of a processor: that others are busy does not count."""
    begin = time.thread_time()
    for _ in range(100):
        sum([i * i for i in range(5000)])
    return time.thread_time() - begin


def beside(looked_at):
    """The time of work() while another thread looks at this one; at None, it only naps."""
    looks = threading.Thread(
        target=library.host_look, args=(looked_at, int(RATE * usual), 0, 10**6 // RATE)
    )
    looks.start()
    time.sleep(0.005)
    seconds = work()
    looks.join()
    return seconds


thread = library.host_thread()
if thread is None:
    sys.exit("This Python is not looked at")
for frames in 10, 30, 100:
    known, new = deep(frames - 3, costs)
    print(f"look at {frames:3} frames  {known:7.1f} us, {new:7.1f} us with all names")
usual = min(work() for _ in range(5))


def ratios():
    out = []
    for i in range(PAIRS):
        order = [thread, None] if i % 2 else [None, thread]
        pair = {at: beside(at) for at in order}
        out.append(pair[thread] / pair[None])
    return out


found = deep(27, ratios)
middle = statistics.median(found)
error = 1.25 * statistics.stdev(found) / len(found) ** 0.5
print(
    f"a busy thread with {RATE} looks a second takes {100 * (middle - 1):+.2f} % of its time"
    f" more, +- {100 * error:.2f}"
)
