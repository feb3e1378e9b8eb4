#!/usr/bin/env python3
"""compare_ncu.py BUILD OUT [PAIR.VARIANT…]: our counters against ncu's.

Runs each program once under ncu and once under cudadvise, and compares every counter of
every kernel that both measured. Counts of what a kernel executes must be equal;
percentages must agree within two points; counters that depend on timing and on the
contents of the caches (cycles, L2, DRAM) are shown without a verdict. Writes the table
to OUT/compare.txt. Exit status 1 if something differs, 77 if there is no GPU or no ncu.
"""
import csv
import glob
import json
import os
import re
import shutil
import subprocess
import sys

DEFAULT = ["uncoalesced-global-access.bad", "shared-bank-conflicts.bad",
           "warp-divergence.bad", "idle-lanes.bad", "local-memory-spill.bad",
           "low-achieved-occupancy.bad", "uncoalesced-global-access.good"]

# Counts that depend only on what the program does, not on timing.
EXACT = re.compile(r"smsp__(inst_executed|thread_inst_executed|warps_launched)"
                   r"[a-z_]*\.sum$|smsp__sass_[a-z0-9_]*\.(sum|ratio|pct)$|"
                   r"l1tex__t_(sectors|requests)_pipe_lsu[a-z_]*\.sum$|"
                   r"l1tex__data_pipe_lsu_wavefronts_mem_shared[a-z_]*\.sum$")
PERCENT = re.compile(r"\.pct(_of_peak_sustained_active)?$")
POINTS = 2.0


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def find_ncu():
    found = shutil.which("ncu")
    others = ["/usr/local/cuda/bin/ncu"] + \
        sorted(glob.glob("/opt/nvidia/nsight-compute/*/ncu"))
    for path in [found] + others:
        if path and os.access(path, os.X_OK):
            return path
    return None


def metric_names():
    """What we collect on GH100; on another chip ncu leaves out what it lacks."""
    config = os.path.abspath(os.path.join(os.path.dirname(
        os.path.abspath(__file__)), "..", "..", "config"))
    # From a build directory outside the sources cudadvise does not find its data.
    os.environ.setdefault("CUDADVISE_DATA_DIR", config)
    with open(os.path.join(os.environ["CUDADVISE_DATA_DIR"], "metrics",
                           "counters.metrics")) as f:
        # The range profiler does not collect the counts by instruction.
        text = f.read().split("[source]")[0]
    lines = (line.split("#")[0].split() for line in text.splitlines())
    return sorted({line[0] for line in lines if line and line[0][0] != "["})


def aliases():
    """{name that we report: name of the patched counter}"""
    table = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                         "daemon", "model", "metric.def")
    with open(table) as f:
        text = f.read()
    real = dict(re.findall(r'METRIC\((\w+), "([^"]+)"', text))
    return {cupti: real[name] for name, cupti in
            re.findall(r'METRIC_ALIAS\((\w+), "([^"]+)"', text)}


def run(command, log):
    with open(log, "w") as f:
        return subprocess.run(command, stdout=f, stderr=subprocess.STDOUT,
                              check=False).returncode


def number(text):
    try:
        return float(text.replace(",", ""))
    except (AttributeError, ValueError):
        return None


def shape(text):
    return tuple(int(x) for x in re.findall(r"\d+", text)[:3])


def read_ncu(path):
    """{(mangled, grid, block): {metric: value}} of the CSV in ncu's log."""
    with open(path) as f:
        lines = [line for line in f if line.startswith('"')]
    kernels = {}
    for row in csv.DictReader(lines):
        key = (row["Kernel Name"], shape(row["Grid Size"]),
               shape(row["Block Size"]))
        value = number(row["Metric Value"])
        if value is not None:
            kernels.setdefault(key, {})[row["Metric Name"]] = value
    return kernels


def read_ours(build, capture):
    text = subprocess.run([f"{build}/bin/gpu/capture_metrics", capture],
                          stdout=subprocess.PIPE, check=True).stdout
    return {(k["mangled"], tuple(k["grid"]), tuple(k["block"])): k["metrics"]
            for k in json.loads(text)}


def verdict(name, ours, ncu):
    if EXACT.search(name):
        return "equal" if abs(ours - ncu) < 0.5 else "DIFFERS"
    if PERCENT.search(name) and not name.startswith(("lts__", "dram__",
                                                     "l1tex__t_sector_hit")):
        return "equal" if abs(ours - ncu) <= POINTS else "DIFFERS"
    return "(timing)"


def measure(build, out, ncu, which, names):
    pair, variant = which.rsplit(".", 1)
    kernels = f"{build}/bin/cudadvise-kernels"
    program = [kernels, pair, "--variant", variant]
    base = f"{out}/{which}"
    for stale in (f"{base}.ncu.csv", f"{base}.cadv"):
        if os.path.exists(stale):
            os.remove(stale)
    rc = run([ncu, "--clock-control", "none", "--cache-control",
              "none", "--csv", "--print-units", "base",
              "--print-kernel-base", "mangled", "--metrics", ",".join(names),
              "--log-file", f"{base}.ncu.csv"] + program + ["--once"],
             f"{base}.ncu.out")
    if rc:
        sys.exit(f"FAIL: ncu on {which}: status {rc}, see {base}.ncu.out")
    rc = run([f"{build}/bin/cudadvise", "run", "--no-daemon",
              "--overhead-budget", "1000", "-o", f"{base}.cadv", "--"] +
             program + ["--repeat", "60"], f"{base}.out")
    if rc:
        sys.exit(f"FAIL: cudadvise on {which}: status {rc}, see {base}.out")
    return read_ours(build, f"{base}.cadv"), read_ncu(f"{base}.ncu.csv")


def compare(which, ours, ncu, say):
    """Print the table of one program; (compared, different)."""
    compared = different = 0
    other = aliases()
    for key in sorted(set(ours) & set(ncu)):
        name, grid, block = key
        if not ours[key]:
            continue
        say(f"\n{which}: {name} {grid} x {block}")
        for metric in sorted(ncu[key]):
            theirs, mine = ncu[key][metric], ours[key].get(
                metric, ours[key].get(other.get(metric)))
            if mine is None:
                say(f"  {metric:75} {'-':>18} {theirs:18.10g}  not measured")
                continue
            said = verdict(metric, mine, theirs)
            compared += said != "(timing)"
            different += said == "DIFFERS"
            say(f"  {metric:75} {mine:18.10g} {theirs:18.10g}  "
                f"{mine - theirs:+.4g} {said}")
    return compared, different


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, out = sys.argv[1], sys.argv[2]
    ncu = find_ncu()
    if ncu is None:
        skip("ncu was not found")
    loop = f"{build}/bin/gpu/launch_loop"
    if not os.access(loop, os.X_OK) or subprocess.run(
            [loop, "1"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, check=False).returncode:
        skip("no GPU, or the test programs were not built")
    os.makedirs(out, exist_ok=True)
    names = metric_names()
    failed = 0
    with open(f"{out}/compare.txt", "w") as table:
        def say(line):
            print(line)
            table.write(line + "\n")
        say(f"{'counter':77} {'cudadvise':>18} {'ncu':>18}  difference")
        for which in sys.argv[3:] or DEFAULT:
            ours, theirs = measure(build, out, ncu, which, names)
            compared, different = compare(which, ours, theirs, say)
            say(f"{which}: {compared} counters compared, {different} differ")
            failed += different > 0 or compared == 0
    return 1 if failed else 0


sys.exit(main())
