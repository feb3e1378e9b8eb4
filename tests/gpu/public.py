#!/usr/bin/env python3
"""public.py --cudadvise CUDADVISE --scratch DIR [OPTION…] LIST DIR OUT

Does the work of public.sh: runs every program of LIST alone and at each level, and
writes OUT/public.tsv. The verdicts, the worst first: "timeout", "status" (another
exit status), "differs" (another output), "slow" (more than 1.5 times its own
time and 10 s), "same". A program whose verdict is not "same" runs alone and at the
level once more; the verdict becomes "same" with a note if the program alone varies
as much.
"""
import argparse
import contextlib
import json
import os
import queue
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import public_run as pr

COLUMNS = ["name", "class", "level", "verdict", "status", "own_status",
           "wall_s", "own_s", "output", "overhead_s", "overhead_ratio",
           "held_s", "longest_hold_s", "launches", "lost", "note"]
BAD = ["timeout", "status", "differs", "slow"]
SLOW_RATIO, SLOW_S = 1.5, 10
TIMES_OWN = 3		# a run may take this multiple of its own time, plus --patience
TOGETHER = (None, "trace")	# the runs that need no counters
SHOW_S = 120


def positions(text):
    """FIRST:LAST of a list, counted from 1; either may be left out."""
    first, colon, last = text.partition(":")
    try:
        first, last = int(first or 1), int(last) if last else None
    except ValueError:
        first = 0
    if not colon or first < 1 or (last is not None and last < first):
        raise argparse.ArgumentTypeError(f"{text} is not FIRST:LAST")
    return slice(first - 1, last)


def arguments():
    a = argparse.ArgumentParser(usage=__doc__.partition("\n")[0])
    a.add_argument("--cudadvise", required=True)
    a.add_argument("--scratch", required=True, type=Path)
    a.add_argument("--levels", default="trace,default,source")
    a.add_argument("--lanes", type=int)
    a.add_argument("--only", default="")
    a.add_argument("--slice", type=positions, default=slice(None))
    a.add_argument("--seconds", type=float, default=float("inf"))
    a.add_argument("--max-alone", type=float, default=float("inf"))
    a.add_argument("--patience", type=float, default=30)
    a.add_argument("--again", action="store_true")
    a.add_argument("--keep", action="store_true")
    a.add_argument("list")
    a.add_argument("dir", type=Path)
    a.add_argument("out", type=Path)
    o = a.parse_args()
    o.levels = o.levels.split(",")
    return o


def devices():
    """The GPUs' names for CUDA_VISIBLE_DEVICES."""
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    if given:
        return given.split(",")
    try:
        out = subprocess.run(["nvidia-smi", "-L"], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, timeout=60,
                             check=False).stdout.decode()
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [str(i) for i, line in enumerate(
        x for x in out.splitlines() if x.startswith("GPU"))]


def costs(run):
    """The table's columns from a report's run. An older report does not tell for how
    long the program was held."""
    overhead, held = run["overhead"], run["overhead"].get("held") or {}
    longest = [held[x] for x in ("longest_s", "setup_longest_s",
                                 "replay_longest_s")
               if held.get(x) is not None]
    return {"overhead_s": overhead["total_s"],
            "overhead_ratio": overhead["ratio"],
            "held_s": held.get("total_s"),
            "longest_hold_s": max(longest, default=None),
            "launches": run["launches"], "lost": run["data"]["lost"]}


class Table:
    """OUT/public.tsv, with the rows of earlier calls."""

    def __init__(self, path, again):
        self.path, self.rows, self.lock = path, [], threading.Lock()
        if path.exists() and not again:
            with open(path, encoding="utf-8") as f:
                lines = f.read().splitlines()
            if lines[:1] == ["\t".join(COLUMNS)]:
                self.rows = [dict(zip(COLUMNS, x.split("\t")))
                             for x in lines[1:]]
        with open(path, "w", encoding="utf-8") as f:
            for cells in [COLUMNS] + [list(r.values()) for r in self.rows]:
                f.write("\t".join(cells) + "\n")

    def has(self, name, level):
        return any(r["name"] == name and r["level"] == level
                   for r in self.rows)

    def add(self, **row):
        cells = ["" if row.get(c) is None else
                 f"{row[c]:.3f}" if isinstance(row[c], float) else
                 " ".join(str(row[c]).split()) for c in COLUMNS]
        with self.lock:
            self.rows.append(dict(zip(COLUMNS, cells)))
            with open(self.path, "a", encoding="utf-8") as f:
                f.write("\t".join(cells) + "\n")


class Lane:
    """Runs programs one after another, on GPUs of its own."""

    def __init__(self, work, number, gpus, counters):
        self.work, self.o, self.number = work, work.o, number
        self.counters = counters	# lock for taking counters on these GPUs
        self.place = self.o.scratch / f"l{number}"
        self.env = dict(os.environ)
        for name, sub in (("RUNTIME", "r"), ("STATE", "s")):
            (self.place / sub).mkdir(parents=True, exist_ok=True, mode=0o700)
            self.env[f"CUDADVISE_{name}_DIR"] = str(self.place / sub)
        if gpus:
            self.env["CUDA_VISIBLE_DEVICES"] = ",".join(gpus)

    def once(self, p, level, limit_s):
        """One run of the program, alone (level None) or at a level, with its capture."""
        cwd = self.place / "w" / p.name
        pr.fresh(self.o.dir / p.directory, cwd)
        to = self.o.out / f"{p.name}.{level or 'alone'}"
        argv, cadv = p.argv, to.parent / (to.name + ".cadv")
        if level:
            cadv.unlink(missing_ok=True)
            argv = [self.o.cudadvise, "run", "--no-daemon", "--quiet",
                    "-o", str(cadv)]
            argv += [] if level == "default" else ["--level", level]
            argv += ["--", *p.argv]
        with contextlib.nullcontext() if level in TOGETHER else \
                self.counters:
            return pr.run(argv, {**self.env, **p.env}, cwd, to,
                          f"{self.place}/{p.name}/{level}", limit_s), cadv

    def alone(self, p, own, times):
        """Run it alone several times; False as soon as it takes too long."""
        limit_s = TIMES_OWN * max([p.seconds, *own.wall_s]) + self.o.patience
        for _ in range(times):
            r, _ = self.once(p, None, limit_s)
            if r.status is None:
                return False
            own.add(r)
        return True

    def verdict(self, own, r):
        if r.status is None:
            return "timeout", None
        if r.status not in own.statuses:
            return "status", None
        different = own.difference(r)
        if different:
            return "differs", different
        # The first run alone may have filled a cache: the fastest run counts.
        slow_s = SLOW_RATIO * min(own.wall_s) + SLOW_S
        return ("slow" if r.wall_s > slow_s else "same"), None

    def measured(self, cadv):
        """The cost of measuring, from the report."""
        try:
            out = subprocess.run(
                [self.o.cudadvise, "show", "--format", "json", str(cadv)],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                stdin=subprocess.DEVNULL, timeout=SHOW_S, env=self.env,
                check=True).stdout
            d = json.loads(out)
            return costs(d.get("run") or d), ""
        except (OSError, subprocess.SubprocessError, ValueError, KeyError,
                TypeError, AttributeError):
            return {}, "no report" if cadv.exists() else "no capture"

    def level(self, p, own, level):
        """One row of the table; the verdict."""
        limit_s = TIMES_OWN * max(own.wall_s) + self.o.patience
        r, cadv = self.once(p, level, limit_s)
        verdict, different = self.verdict(own, r)
        notes = [f"left {r.left} processes"] if r.left and \
            r.status is not None else []
        if verdict in ("status", "differs", "slow"):
            self.alone(p, own, 2)
            calmer, _ = self.verdict(own, r)
            if calmer == "same":
                notes.append(f"alone, too, once {verdict}")
                verdict, different = calmer, None
            else:
                other, cadv = self.once(p, level, limit_s)
                again, _ = self.verdict(own, other)
                notes.append(f"once more: {again}")
        report, note = self.measured(cadv)
        row = {"name": p.name, "class": p.class_, "level": level,
               "verdict": verdict, "status": r.status,
               "own_status": ",".join(map(str, sorted(own.statuses))),
               "wall_s": r.wall_s, "own_s": min(own.wall_s),
               "output": different or own.same(), **report,
               "note": "; ".join(notes + ([note] if note else []))}
        self.work.table.add(**row)
        self.tidy(p, level, verdict in BAD)
        return f"{level} {verdict} {r.wall_s:.1f}" + (
            f" ({row['note']})" if row["note"] else "")

    def tidy(self, p, level, keep):
        """Remove the files, except after a difference or with --keep."""
        if keep or self.o.keep:
            return
        for end in ("out", "err", "cadv"):
            (self.o.out / f"{p.name}.{level}.{end}").unlink(missing_ok=True)

    def program(self, p, levels):
        """All runs of one program; returns a line with the result."""
        if not (self.o.dir / p.directory).is_dir():
            return "no directory"
        own = pr.Own(p)
        if not self.alone(p, own, 2):
            return "takes too long alone"
        said = f"alone {own.wall_s[0]:.1f} {own.wall_s[1]:.1f} s, status " \
            f"{','.join(map(str, sorted(own.statuses)))}, {own.same()}"
        if min(own.wall_s) > self.o.max_alone:
            return said + ": left out"
        bad = False
        for level in levels:
            word = self.level(p, own, level)
            bad = bad or word.split()[1] in BAD
            said += "; " + word
        self.tidy(p, "alone", bad)
        return said


class Work:
    """The whole list."""

    def __init__(self, o):
        self.o, self.begin = o, time.monotonic()
        self.table = Table(o.out / "public.tsv", o.again)
        self.devices = devices()
        self.left_out, self.lock = [], threading.Lock()
        self.lanes = 0

    def say(self, lane, p, text):
        with self.lock:
            print(f"[{time.monotonic() - self.begin:4.0f} s, lane "
                  f"{lane.number}] {p.name}: {text}", flush=True)

    def lane(self, lane, jobs, until_s):
        """The thread of a lane; it starts no program after ${until_s}."""
        while True:
            try:
                p = jobs.get_nowait()
            except queue.Empty:
                return
            levels = [x for x in self.o.levels
                      if not self.table.has(p.name, x)]
            if not levels:
                continue
            if time.monotonic() - self.begin > until_s:
                text = "the time is over"
            else:
                try:
                    text = lane.program(p, levels)
                except (OSError, subprocess.SubprocessError) as e:
                    text = f"not judged: {e}"
            if not any(self.table.has(p.name, x) for x in levels):
                self.left_out.append(f"{p.name} ({text})")
            self.say(lane, p, text)

    def lanes_for(self, gpus):
        """(lanes, sets of GPUs) for programs that need so many GPUs; several lanes share
        a GPU only if one GPU is enough and --lanes asks for it."""
        places = max(len(self.devices) // gpus, 1)
        lanes = self.o.lanes or places
        return (min(lanes, places) if gpus > 1 else lanes), places

    def phase(self, programs, gpus, until_s):
        """All the programs that need so many GPUs, each lane with its own."""
        if gpus > max(len(self.devices), 1):
            self.left_out += [f"{p.name} (needs {gpus} GPUs)"
                              for p in programs]
            return
        lanes, places = self.lanes_for(gpus)
        jobs, threads = queue.SimpleQueue(), []
        counters = [threading.Lock() for _ in range(places)]
        for p in programs:
            jobs.put(p)
        for i in range(min(lanes, len(programs))):
            at = (i % places) * gpus
            lane = Lane(self, self.lanes, self.devices[at:at + gpus]
                        if len(self.devices) > 1 else [],
                        counters[i % places])
            self.lanes += 1
            threads.append(threading.Thread(target=self.lane,
                                            args=(lane, jobs, until_s)))
            threads[-1].start()
        for t in threads:
            t.join()

    def run(self):
        programs = pr.read_list(self.o.list, set(
            filter(None, self.o.only.split(","))))[self.o.slice]
        phases = {g: [p for p in programs if p.gpus == g]
                  for g in sorted({p.gpus for p in programs})}
        # Each phase gets its share of --seconds, so that the last ones run, too.
        cost = {g: sum(p.seconds for p in phases[g]) / self.lanes_for(g)[0]
                for g in phases}
        spent = 0
        for gpus, some in phases.items():
            spent += cost[gpus]
            share = spent / sum(cost.values()) if sum(cost.values()) else 1
            self.phase(some, gpus, self.o.seconds * share)


def top(rows, column):
    """The largest value of a column, with the program's name."""
    rows = [(float(r[column]), r["name"]) for r in rows if r[column]]
    return "{:.3g} s ({})".format(*max(rows)) if rows else "unknown"


def summary(work):
    """Print a line for each level; return how many programs behaved differently."""
    noticed = 0
    for level in work.o.levels:
        rows = [r for r in work.table.rows if r["level"] == level]
        if not rows:
            continue
        count = {v: sum(r["verdict"] == v for r in rows)
                 for v in ["same"] + BAD}
        noticed += sum(count[v] for v in BAD)
        ratio = statistics.median(float(r["wall_s"]) / max(
            float(r["own_s"]), 1e-3) for r in rows)
        # Programs that fail or launch nothing prove little: not everything that
        # builds runs everywhere.
        fail = sum(r["own_status"] != "0" for r in rows)
        none = sum(r["launches"] in ("", "0") for r in rows)
        print(f"{level}: {len(rows)} programs ({fail} fail alone, {none} "
              f"without a launch), " + ", ".join(
            f"{n} {v}" for v, n in count.items()) +
            f"; median time {ratio:.2f} x alone; longest hold "
            f"{top(rows, 'longest_hold_s')}, most overhead "
            f"{top(rows, 'overhead_s')}")
        for r in rows:
            if r["verdict"] in BAD:
                print(f"  {r['name']}: {r['verdict']}, {r['wall_s']} s, "
                      f"alone {r['own_s']} s, status {r['status'] or 'none'}, "
                      f"alone {r['own_status']}, {r['output']}; {r['note']}")
    if work.left_out:
        print(f"not run: {', '.join(work.left_out)}")
    return noticed


def main():
    o = arguments()
    try:
        work = Work(o)
        work.run()
    except pr.ListError as e:
        sys.exit(str(e))
    noticed = summary(work)
    if not work.table.rows:
        print("skipped: no program was run")
        return 77
    return 1 if noticed else 0


if __name__ == "__main__":
    sys.exit(main())
