#!/usr/bin/env python3
"""alike.py BUILD OUT [--seconds N] [--programs DIR] [--limit SECONDS]

Runs short programs again and again in turn, as `cudadvise ab` runs its sides. Each run
appends a line to OUT/alike.jsonl, with only what a comparison reads. Any two runs of one
program are an A/A pair; runs of six_kernels with an argument have 3 % more work planted
in that kernel. To add runs, later or on another GPU (CUDA_VISIBLE_DEVICES), call it again
with the same OUT, or concatenate the files. DIR has public programs (PUBLIC). The first
round is discarded, as by `ab`; no round begins after N (180) seconds. unit-trial judges
tests/captures/runs/alike*.jsonl.
"""
import argparse
import datetime
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# name, level, interval, command; {kernels}, {gpu}, {programs}, {here} are
# folders. Each program runs in every `interval`-th round: long ones less often
# (at trace 0.4 to 0.8 s, at the default level 1.7 to 2.2 s, hist_gmem 2.7 s,
# train.py 8.8 s on an H200), so that a round takes 9 s.
PROGRAMS = [
    ("six_kernels", "trace", 1, "{gpu}/six_kernels"),
    ("six_kernels", "auto", 2, "{gpu}/six_kernels"),
    ("six_kernels fma_loop", "auto", 2, "{gpu}/six_kernels fma_loop"),
    ("six_kernels stream_copy", "auto", 2, "{gpu}/six_kernels stream_copy"),
    ("uncoalesced-global-access", "trace", 1,
     "{bin}/cudadvise-kernels uncoalesced-global-access --variant good --no-check "
     "--repeat 20"),
    ("launch-bound-graph-candidate", "trace", 1,
     "{bin}/cudadvise-kernels launch-bound-graph-candidate --variant bad --no-check "
     "--repeat 20"),
    ("no-copy-compute-overlap", "trace", 1,
     "{bin}/cudadvise-kernels no-copy-compute-overlap --variant bad --no-check "
     "--repeat 5"),
    ("shared-bank-conflicts", "auto", 3,
     "{bin}/cudadvise-kernels shared-bank-conflicts --variant bad --no-check "
     "--repeat 20"),
    ("transpose", "trace", 1, "{programs}/transpose"),
    ("reduce_interleaved", "trace", 1, "{programs}/reduce_interleaved"),
    ("hist_gmem", "trace", 4, "{programs}/hist_gmem"),
    ("sgemm_naive", "auto", 4, "{programs}/sgemm_naive"),
    ("train.py", "trace", 6, "python3 {here}/train.py 60"),
]
KERNELS_MOST = 12
NAME_MOST = 100
LEAST = 0.002           # of the kernels' time: verdicts ignore smaller shares
RUN = ("state exit_code command level started_at devices wall_ns active_s").split()
KERNEL = ("id launches grid block registers local_bytes shared_static_bytes "
          "shared_dynamic_bytes instructions sectors_per_request").split()


def some(of, names):
    return {n: of[n] for n in names if of.get(n) is not None}


def unplaced(text):
    """The text without the folders of this machine."""
    return " ".join(os.path.basename(w) if w.startswith("/") else w
                    for w in text.split(" "))


def number(v):
    return float(f"{v:.7g}") if isinstance(v, float) else v


def at(of, *path):
    for p in path:
        of = (of or {}).get(p)
    return number(of)


def slim_kernel(k):
    """The members of a kernel that compare/trial_kernels.c reads."""
    out = {"name": k["name"][:NAME_MOST],
           **{n: number(v) for n, v in some(k, KERNEL).items()}}
    out["time"] = {n: number(k["time"][n]) for n in ("total_ns", "mean_ns", "sd_ns")
                   if k["time"].get(n) is not None}
    for place, names in (("occupancy", ("theoretical_ratio", "achieved_ratio",
                                        "waves")),
                         ("bandwidth", ("used_bytes", "l2_bytes", "dram_bytes"))):
        found = {n: at(k, place, n) for n in names if at(k, place, n) is not None}
        if found:
            out[place] = found
    head = {n: {"value": at(k, "headline", n, "value")}
            for n in ("coalescing", "bank_conflicts", "divergence")
            if at(k, "headline", n, "value") is not None}
    if head:
        out["headline"] = head
    flops = at(k, "roofline", "flops")
    if flops and any(flops.values()):
        out["roofline"] = {"flops": {n: v for n, v in flops.items() if v}}
    return out


def slim(one, session, program, planted):
    """The line that is kept of a run; None if the run failed."""
    run = one["run"]
    whole = sum(k["time"].get("total_ns") or 0 for k in one["kernels"])
    kernels = [k for k in one["kernels"]
               if (k["time"].get("total_ns") or 0) >= LEAST * whole > 0]
    kernels.sort(key=lambda k: -k["time"]["total_ns"])
    if run["state"] != "finished" or run["exit_code"] != 0 or not kernels:
        return None
    kept = some(run, RUN)
    kept["command"] = unplaced(kept["command"])
    kept["summary"] = {"gpu_busy_ratio": run["summary"]["gpu_busy_ratio"]}
    return {"session": session, "program": program, "planted": planted, "run": kept,
            "conditions": {n: unplaced(v) if n in ("program", "arguments") else v
                           for n, v in one["conditions"].items()
                           if v is not None and n not in ("host",)},
            "kernels": [slim_kernel(k) for k in kernels[:KERNELS_MOST]]}


def record(cudadvise, level, argv, place, limit):
    """The baseline document that `cudadvise` writes for one run of ${argv}."""
    capture = os.path.join(place, "x.cadv")
    try:
        for command in ([cudadvise, "run", "-q", "--no-daemon", "--level", level, "-o",
                         capture, "--", *argv],
                        [cudadvise, "baseline", "save", "alike", capture]):
            subprocess.run(command, check=True, timeout=limit, cwd=place,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE)
        found, = glob.glob(os.path.join(place, "s", "baselines", "alike*"))
        with open(found, encoding="utf-8") as f:
            return json.load(f)["runs"][0]
    finally:
        if os.path.exists(capture):
            os.unlink(capture)


def main():
    ask = argparse.ArgumentParser()
    ask.add_argument("build")
    ask.add_argument("out")
    ask.add_argument("--seconds", type=float, default=180)
    ask.add_argument("--programs", default="")
    ask.add_argument("--limit", type=float, default=40)
    a = ask.parse_args()
    begin, build = time.monotonic(), os.path.abspath(a.build)
    cudadvise = os.path.join(build, "bin", "cudadvise")
    os.makedirs(a.out, exist_ok=True)
    place = tempfile.mkdtemp(prefix="alike.", dir="/tmp")
    for name, sub in (("RUNTIME_DIR", "r"), ("STATE_DIR", "s")):
        os.mkdir(os.path.join(place, sub), 0o700)
        os.environ["CUDADVISE_" + name] = os.path.join(place, sub)
    os.environ["CUDADVISE_CONFIG"] = os.path.join(place, "empty.conf")
    open(os.environ["CUDADVISE_CONFIG"], "w").close()
    session = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M")
    session += " " + os.environ.get("CUDA_VISIBLE_DEVICES", "0")
    rows = failed = rounds = 0
    with open(os.path.join(a.out, "alike.jsonl"), "a", encoding="utf-8") as out:
        while time.monotonic() - begin < a.seconds:
            for name, level, often, command in PROGRAMS:
                argv = command.format(bin=build + "/bin", gpu=build + "/bin/gpu",
                                      programs=os.path.abspath(a.programs),
                                      here=HERE).split()
                if (rounds % often or shutil.which(argv[0]) is None or
                        time.monotonic() - begin > a.seconds + 10):
                    continue
                try:
                    one = record(cudadvise, level, argv, place, a.limit)
                except (subprocess.SubprocessError, ValueError, OSError) as e:
                    failed += 1
                    text = (getattr(e, "stderr", None) or b"").decode(errors="replace")
                    print(f"{name}: {e} {text[-300:]}", file=sys.stderr)
                    continue
                row = slim(one, session, f"{name.split()[0]} at {level}",
                           " ".join(name.split()[1:]))
                if rounds and row is not None:
                    print(json.dumps(row, separators=(",", ":")), file=out, flush=True)
                    rows += 1
            rounds += 1
    subprocess.run([cudadvise, "daemon", "stop", "-q"], check=False)
    shutil.rmtree(place)
    print(f"{rounds} rounds in {time.monotonic() - begin:.0f} s, {rows} runs kept, "
          f"{failed} failed")
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
