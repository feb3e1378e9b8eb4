# Calls the library under test from nested functions and checks the frames that it
# sees. Exit status 77: this interpreter does not export what the library needs.
import ctypes
import sys
import threading

library = ctypes.CDLL(sys.argv[1])
out = ctypes.create_string_buffer(65536)


def inner():
    n = library.host_python(out, 8192)  # line 12
    return out.raw[:n].decode()


def outer():
    return inner()  # line 17


def deep(n):
    return deep(n - 1) if n else inner()


minor = sys.version_info[1]
if (
    not hasattr(ctypes.pythonapi, "_Py_DumpTraceback")
    and not hasattr(ctypes.pythonapi, "PyUnstable_DumpTraceback")
    and minor not in (9, 10, 13, 14)
):
    print("Python %d.%d does not tell its frames" % sys.version_info[:2])
    sys.exit(77)

got = outer().splitlines()
want = [f"{__file__}\t12\tinner", f"{__file__}\t17\touter"]
assert got[:2] == want, got
assert got[2].startswith(f"{__file__}\t") and got[2].endswith("<module>"), got
assert len(got) == 3, got

# More frames than fit: whole lines, of the innermost frames.
got = deep(500)
assert got.startswith(want[0] + "\n") and got.endswith("deep\n"), got
assert 50 <= len(got.splitlines()) <= 101 and len(got) <= 8192, len(got)


# Methods, comprehensions, generators, names that are not ASCII.
class Thing:
    def méthode(self):
        return [inner() for _ in range(1)][0]


def generator():
    yield Thing().méthode()


got = next(generator()).splitlines()
names = [line.split("\t")[2].split(".")[-1] for line in got]
lines = [int(line.split("\t")[1]) for line in got]
assert names[0] == "inner" and "generator" in names, got
assert names[-1] == "<module>", got
assert any(n in ("méthode", "m\\xe9thode") for n in names), got
assert all(0 < n < 100 for n in lines), got

# Another thread has frames of its own.
kept = []
thread = threading.Thread(target=lambda: kept.append(outer()))
thread.start()
thread.join()
assert kept[0].splitlines()[:2] == want, kept
assert "<module>" not in kept[0], kept
