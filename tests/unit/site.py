# Calls the library under test from nested functions and checks the frames that it
# sees. Exit status 77: this interpreter does not export what the library needs.
import ctypes
import json.decoder
import re
import sys
import threading
import time

library = ctypes.CDLL(sys.argv[1])
out = ctypes.create_string_buffer(65536)


def inner():
    n = library.host_python(out, 8192)  # line 15
    return out.raw[:n].decode()


def outer():
    return inner()  # line 20


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
want = [f"{__file__}\t15\tinner", f"{__file__}\t20\touter"]
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


# The looks of another thread find what this one is in: each of two functions for about
# its share of the time, at its lines, and a package's function at the line that it begins
# at.


def busy(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:  # the loop's lines
        sum(range(50))


def quiet(seconds):
    time.sleep(seconds)


def méthode(text):
    return json.decoder.JSONDecoder(object_hook=lambda d: quiet(0.3)).decode(text)


if minor not in (11, 12, 13, 14):
    sys.exit(0)
out = ctypes.create_string_buffer(1 << 22)


def seen():
    n = library.host_seen(out, len(out))
    return [look.split("\n") for look in out.raw[:n].decode().split("@")[1:]]


def threads(looks):
    return {int(look[0].split()[0]) for look in looks}


# The first thread with Python frames is looked at, and no other one while it is there.
# Its frames are checked although the interpreter tells them in ASCII.
def écoute(go_on, ids):
    assert library.host_watch() > 0
    ids.append(threading.get_native_id())
    go_on.wait()


def listener():
    go_on, ids = threading.Event(), []
    thread = threading.Thread(target=lambda: écoute(go_on, ids), daemon=True)
    thread.start()
    while not ids:
        time.sleep(0.01)
    return thread, go_on, ids[0]


first, second = listener(), listener()
quiet(0.2)
looks = seen()
assert len(looks) > 5 and threads(looks) == {first[2]}, (looks, first)
assert any("écoute" in line for look in looks for line in look), looks
# When it has ended, there are no looks until another one calls.
first[1].set()
first[0].join()
quiet(0.1)
seen()
quiet(0.1)
assert not seen()
third = listener()
quiet(0.2)
assert threads(seen()) == {third[2]}
# The main thread comes first. Neither a clock that is set ahead nor one that is set back
# ends the looks.
assert library.host_watch() > 0
for go_on in second[1], third[1]:
    go_on.set()
quiet(0.1)
seen()
library.host_clock.argtypes = [ctypes.c_int64]
for days in 400, 0:
    library.host_clock(days * 86400 * 10**9)
    quiet(0.3)
    looks = seen()
    assert len(looks) > 8 and threads(looks) == {threading.get_native_id()}, (days, looks)
    assert sum(int(look[0].split()[2]) for look in looks) < 0.6e9, looks
busy(0.6)
quiet(0.3)
méthode("{}")
looks = seen()
assert len(looks) > 30, looks
assert threads(looks) == {threading.get_native_id()}
periods = [int(look[0].split()[2]) / 1e9 for look in looks]
assert 0.6 < sum(periods) < 1.5, sum(periods)
share = {}
for look, period in zip(looks, periods):
    frames = [line.split("\t") for line in look[1:] if line]
    assert frames[-1][2] == "<module>", look
    own = next(f for f in frames if f[0] == __file__)
    share[own[2]] = share.get(own[2], 0) + period
    if own[2] == "busy":
        assert busy.__code__.co_firstlineno < int(own[1]) <= busy.__code__.co_firstlineno + 3, look
    decoders = [f for f in frames if f[0].endswith("json/decoder.py")]
    for f in decoders:
        assert f[2].split(".")[-1] in ("decode", "raw_decode"), look
        assert int(f[1]) in (
            json.decoder.JSONDecoder.decode.__code__.co_firstlineno,
            json.decoder.JSONDecoder.raw_decode.__code__.co_firstlineno,
        ), look
        assert any("thode" in f[2] for f in frames), look
assert any(f.endswith("decoder.py") for look in looks for f in [l.split("\t")[0] for l in look[1:]]), looks
assert 0.3 < share["busy"] < 0.9 and 0.3 < share["quiet"] < 0.9, share

# Of a stack that is deeper than there is room for, frames of packages between are left out,
# and the program's own are kept.
def deep_down(depth):
    if depth == 0:
        quiet(0.2)
    else:
        re.sub("x", lambda m: deep_down(depth - 1) or "", "x")


seen()
deep_down(40)
found = [look for look in seen() if any("\tquiet" in line for line in look)]
assert found, "no look"
for look in found:
    frames = [line.split("\t") for line in look[1:] if line]
    assert frames[-1][2] == "<module>" or len(frames) > 60, look
    assert sum(f[2].endswith("deep_down") for f in frames) >= 40, look
