#!/usr/bin/env python3
"""launch_cost.py SECONDS [LIBRARY ROUNDS]: what a launch costs a PyTorch loop with
parts of the measuring on, in one process, in turns.

LIBRARY is libcupti_switch.so, by which `cudadvise run` was told to reach CUPTI
(CUDADVISE_CUPTI). In each round every mode comes once, in a different order, for some
steps of train.py's loop. For each mode it prints the nanoseconds that a launch takes
longer than with nothing on (the median over the rounds, with its 95 % interval), and
the ratio; at the end, what leaving the profiler and then CUPTI changes. The file ROUNDS gets the values of all rounds. Without LIBRARY: the time
of a step.
"""
import ctypes
import json
import random
import statistics
import sys
import time

try:
    import torch
except ImportError:
    print("skipped: PyTorch is not installed", file=sys.stderr)
    sys.exit(77)
if not torch.cuda.is_available():
    print("skipped: PyTorch sees no GPU", file=sys.stderr)
    sys.exit(77)

WARM = 4	# untimed steps after a switch
STEPS = 12  # timed steps
LAUNCHES = 555	# of a step, as the trace counts them
SETTLE = 8	# seconds until all measurements are done
LEFT = 15	# times of STEPS steps each after something was given up
CALLBACKS = "launches calls runtime resources"
HANDLED = "flush records"
ALL = f"kernels kinds {CALLBACKS} work {HANDLED}"
# "nothing" is the baseline. It comes twice: the difference between the two
# shows how far apart identical modes lie.
MODES = {
    "nothing": HANDLED,
    "nothing again": HANDLED,
    "kernel records": f"kernels {HANDLED}",
    "the other records": f"kinds {HANDLED}",
    "launch callbacks, empty": f"launches {HANDLED}",
    "launch callbacks": f"launches work {HANDLED}",
    "other callbacks, empty": f"calls runtime resources {HANDLED}",
    "kernel records, launch callbacks, empty": f"kernels launches {HANDLED}",
    "kernel records, launch callbacks": f"kernels launches work {HANDLED}",
    "kernel records, records of launching calls": f"kernels api {HANDLED}",
    "kernel records, the runtime's launch callbacks, empty":
        f"kernels above {HANDLED}",
    "all": ALL,
    "all but the callbacks' work": ALL.replace("work ", ""),
    "all but launch callbacks": ALL.replace("launches ", ""),
    "all but flushes": ALL.replace("flush ", ""),
    "all but decoding": ALL.replace(" records", ""),
}


class Loop:
    """train.py's loop."""

    def __init__(self):
        torch.manual_seed(1)
        layers = []
        for _ in range(12):
            layers += [torch.nn.Linear(512, 512), torch.nn.LayerNorm(512),
                       torch.nn.GELU()]
        self.model = torch.nn.Sequential(
            *layers, torch.nn.Linear(512, 10)).cuda()
        self.optimizer = torch.optim.Adam(
            self.model.parameters(), lr=1e-3, foreach=False)
        self.x = torch.randn(256, 512, device="cuda")
        self.y = torch.randint(0, 10, (256,), device="cuda")

    def steps(self, n):
        for _ in range(n):
            self.optimizer.zero_grad(set_to_none=True)
            torch.nn.functional.cross_entropy(
                self.model(self.x), self.y).backward()
            self.optimizer.step()
        torch.cuda.synchronize()


def seconds_of(loop):
    """The seconds of a step, timed over STEPS steps."""
    start = time.perf_counter()
    loop.steps(STEPS)
    return (time.perf_counter() - start) / STEPS


def rounds(loop, switch, until):
    """A list of {mode: seconds of a step}."""
    order, out = list(MODES), []
    dice = random.Random(1)
    while time.perf_counter() < until:
        dice.shuffle(order)
        taken = {}
        for mode in order:
            failed = switch(MODES[mode].encode())
            if failed:
                print(f"{failed} calls of CUPTI failed for: {mode}")
            loop.steps(WARM)
            taken[mode] = seconds_of(loop)
        out.append(taken)
    return out


def interval(values):
    """The 95 % interval of the median, by the order statistics of a binomial."""
    values = sorted(values)
    n = len(values)
    reach = int(0.98 * n ** 0.5)	# 1.96 √n / 2
    return values[max(0, n // 2 - reach)], values[min(n - 1, n // 2 + reach)]


def leave(library):
    """What a launch takes with nothing on, and when more than that was given up."""
    library.cupti_switch(b"")
    loop = Loop()
    loop.steps(STEPS)
    for what in ("", "profiler", "cupti"):
        status = library.cupti_leave(what.encode()) if what else 0
        loop.steps(WARM)
        taken = sorted(seconds_of(loop) / LAUNCHES * 1e9 for _ in range(LEFT))
        print(f"{statistics.median(taken):7.0f} ns ({taken[0]:6.0f} to {taken[-1]:6.0f})"
              f"          a launch {'without ' + what if what else 'with nothing on'}"
              f"{f': status {status}' if status else ''}", flush=True)


def main():
    seconds = float(sys.argv[1])
    loop = Loop()
    loop.steps(20)
    if len(sys.argv) < 3:
        until = time.perf_counter() + seconds
        taken = []
        while time.perf_counter() < until:
            taken.append(seconds_of(loop))
        print(f"{statistics.median(taken) * 1e3:.4f} ms a step, quartiles "
              "{0:.4f} {2:.4f}".format(*(q * 1e3 for q in
                                         statistics.quantiles(taken))))
        return
    library = ctypes.CDLL(sys.argv[2])
    switch = library.cupti_switch
    until = time.perf_counter() + seconds
    settle = min(SETTLE, seconds / 4)
    while time.perf_counter() < until - seconds + settle:
        loop.steps(STEPS)
    taken = rounds(loop, switch, until)
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        json.dump(taken, out)
    print(f"{len(taken)} rounds of {STEPS} steps, {LAUNCHES} launches each; with "
          f"nothing on a launch takes "
          f"{statistics.median(t['nothing'] for t in taken) / LAUNCHES * 1e9:.0f} ns")
    for mode in MODES:
        more = [(t[mode] - t["nothing"]) / LAUNCHES * 1e9 for t in taken]
        low, high = interval(more)
        ratio = statistics.median(t[mode] / t["nothing"] for t in taken)
        print(f"{statistics.median(more):7.0f} ns ({low:6.0f} to {high:6.0f})  "
              f"{ratio:6.3f}  {mode}", flush=True)
    leave(library)


main()
