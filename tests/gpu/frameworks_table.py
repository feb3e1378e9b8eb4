#!/usr/bin/env python3
"""frameworks_table.py DIR --cli CUDADVISE: judge what frameworks.sh recorded.

One line for each pair of kernels/frameworks: the first finding on bad, the rank of the
pair's own finding and the seconds that it predicts; the seconds of kernels, copies and
waits that the loop of good took less; the findings above low severity on good. Exit
status 1 if a practice is not the first on its bad, or is found above low on its good; 77:
nothing was recorded.
"""
import argparse
import contextlib
import glob
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

import trust_case as tc

ABOVE_LOW = ("medium", "high")
PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "../../kernels/frameworks")
# The practices of programs that are not named after theirs.
PRACTICE = {
    "cupy_chain": "eager-pointwise-chain",
    "framework_sync": "synchronous-copies",
    "jax_loop": "launch-bound-graph-candidate",
    "numba_arguments": "redundant-transfers",
    "triton_columns": "uncoalesced-global-access",
}


def practice_of(pair):
    return PRACTICE.get(pair, pair.replace("_", "-"))


def turns_of(pair):
    """The number of iterations of the program's loop."""
    source = os.path.join(PROGRAMS, pair + ".py")
    with open(source, encoding="utf-8") as f:
        return int(re.search(r"^STEPS = (\d+)$", f.read(), re.MULTILINE)[1])


def cost_s(cli, capture, turns):
    """Seconds of a loop of ${turns} iterations without the first, which compiles and
    chooses code: the work that occurs in at least half of the iterations, and the gaps
    that have as many others, or a hundred, of about their length (within a factor of
    two). Measuring itself makes only dozens of gaps."""
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "run.db")
        subprocess.run([cli, "export", "--quiet", "--format", "sqlite",
                        "--output", path, capture], check=True)
        with contextlib.closing(sqlite3.connect(path)) as db:
            work = db.execute(
                "SELECT start_ns, start_ns + duration_ns, COUNT(*) OVER "
                "(PARTITION BY kind, kernel_id) FROM operation WHERE kind IN "
                "('kernel', 'h2d', 'd2h', 'd2d', 'memset') ORDER BY start_ns"
            ).fetchall()
    work = work[len(work) // turns:]
    busy, until, gaps = 0, work[0][0] if work else 0, {}
    for start, end, count in work:
        if start > until:
            gaps.setdefault((start - until).bit_length(), []).append(
                start - until)
        if count >= turns / 2:
            busy += max(0, end - max(start, until))
        until = max(until, end)
    again = sum(sum(of) for size, of in gaps.items() if
                min(turns / 2, 100) <=
                sum(len(gaps.get(size + near, ())) for near in (-1, 0, 1)))
    return (busy + again) * 1e-9


def ms(seconds):
    return "-" if seconds is None else f"{seconds * 1e3:.3g} ms"


class Side:
    """One variant: its exit status, and its findings and run if it was recorded."""

    def __init__(self, o, pair, variant):
        base = os.path.join(o.dir, f"{pair}.{variant}")
        self.status = None
        if os.path.exists(base + ".rc"):
            with open(base + ".rc", encoding="utf-8") as f:
                self.status = f.read().strip()
        self.items, self.loop_s = None, None
        if os.path.exists(base + ".cadv"):
            found = tc.ask(o.cli, ["findings", "--all"], base + ".cadv")
            if found:
                self.items = found["items"]
                self.rules = {v["rule"]: v for v in found["rules"]}
                self.loop_s = cost_s(o.cli, base + ".cadv",
                                     turns_of(pair))

    def missing(self):
        if self.status == "77":
            return "skipped"
        return f"status {self.status}" if self.status else "not run"

    def state(self, rule):
        """Not found: clean, or why it was not measured."""
        v = self.rules.get(rule)
        if v is None:
            return "no such practice"
        return v["state"] + (f" ({v['reason']})" if v.get("reason") else "")


def own_of(side, rule):
    return next((f for f in side.items if f["rule"] == rule), None)


def judge(pair, bad, good):
    """(the columns of its line, what is wrong)"""
    rule, wrong = practice_of(pair), []
    if bad.items is None or good.items is None:
        why = [f"{name}: {side.missing()}" for name, side in
               (("bad", bad), ("good", good)) if side.items is None]
        failed = [w for w in why if not w.endswith(("skipped", "not run"))]
        return [pair, "; ".join(why)] + [""] * 6, failed
    first = bad.items[0]["rule"] if bad.items else "nothing"
    own = own_of(bad, rule)
    if own is None:
        wrong.append(f"bad: {rule} is {bad.state(rule)}, first is {first}")
    elif first != rule or not own["worth_it"]:
        wrong.append(f"bad: {rule} has rank {own['rank']}"
                     f"{'' if own['worth_it'] else ', not worth a change'}, "
                     f"first is {first}")
    other = own_of(good, rule)
    if other is not None and other["worth_it"] and \
            other["severity"] in ABOVE_LOW:
        wrong.append(f"good: {rule} found, {ms(other['saves']['s'])}")
    saves = own["saves"] if own else {"s": None}
    gained = bad.loop_s - good.loop_s
    error = "-" if not saves["s"] or gained <= 0 else \
        f"{100 * (saves['s'] / gained - 1):+.0f} %"
    told = [f"{f['rule']} {f['severity']} {ms(f['saves']['s'])}"
            for f in good.items
            if f["severity"] in ABOVE_LOW and f["worth_it"]]
    bounds = f"{ms(saves['low_s'])} to {ms(saves['high_s'])}" \
        if saves["s"] is not None else "-"
    return [pair, "its own" if first == rule else first,
            str(own["rank"]) if own else "-", ms(saves["s"]), bounds,
            ms(gained), error, "; ".join(told) or "-"], wrong


def main():
    parser = argparse.ArgumentParser(usage=__doc__.partition(":")[0])
    parser.add_argument("dir")
    parser.add_argument("--cli", required=True)
    o = parser.parse_args()
    pairs = sorted({os.path.basename(p).split(".")[0] for p in
                    glob.glob(os.path.join(o.dir, "*.bad.rc")) +
                    glob.glob(os.path.join(o.dir, "*.bad.cadv"))})
    lines = [["pair", "bad: first finding", "rank", "predicted", "interval",
              "achieved", "error", "good: above low"]]
    failures, judged, firsts, quiet = [], 0, 0, 0
    for pair in pairs:
        bad, good = Side(o, pair, "bad"), Side(o, pair, "good")
        line, wrong = judge(pair, bad, good)
        lines.append(line)
        failures += [f"FAIL: {pair}: {w}" for w in wrong]
        if bad.items is not None and good.items is not None:
            judged += 1
            firsts += line[1] == "its own"
            quiet += line[-1] == "-"
    widths = [max(len(x[i]) for x in lines) for i in range(len(lines[0]))]
    for line in lines:
        print(" | ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip())
    print(f"\n{judged} of {len(pairs)} pairs judged: own practice first on bad "
          f"{firsts}, good with nothing above low {quiet}, failures "
          f"{len(failures)}")
    for failure in failures:
        print(failure)
    if judged == 0:
        return 77
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
