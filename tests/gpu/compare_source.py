#!/usr/bin/env python3
"""compare_source.py BUILD OUT [PROGRAM [ARG...]]: our source counters against ncu's,
instruction by instruction and line by line.

The program runs once under `cudadvise run --level source`, and once per kernel
under ncu with its source page. All counts of all instructions of a kernel that
both measured must be equal. A line's count is the sum over its instructions, by the
same line table, so lines are then equal, too.
Prints one row a kernel: how many instructions and values were compared, how
many differ, and the first that does. Without a program: a list of our own
kernels. Exit status 1 if anything differs, 77 without ncu or GPU.
"""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Our name of a value, and its column on ncu's page.
COLUMNS = {
    "inst": "Instructions Executed",
    "threads": "Thread Instructions Executed",
    "threads_on": "Predicated-On Thread Instructions Executed",
    "global_sectors": "L2 Theoretical Sectors Global",
    "global_ideal": "L2 Theoretical Sectors Global Ideal",
    "global_tags": "L1 Tag Requests Global",
    "local_sectors": "L2 Theoretical Sectors Local",
    "shared_wavefronts": "L1 Wavefronts Shared",
    "shared_ideal": "L1 Wavefronts Shared Ideal",
    "branch_divergent": "Divergent Branches",
}
KERNELS = 6         # of a program, those with most time


def ours(build, out, name, command):
    """The kernels of the program as `cudadvise` counted them."""
    capture = os.path.join(out, name + ".cadv")
    tool = os.path.join(build, "bin", "cudadvise")
    run = subprocess.run([tool, "run", "-q", "--no-daemon", "--level",
                          "source", "-o", capture, "--"] + command,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not os.path.exists(capture):
        sys.exit(f"{name}: no capture: {run.stderr.decode()[-500:]}")
    kernels = json.loads(subprocess.check_output(
        [tool, "kernels", "--format", "json", capture]))
    kernels = kernels.get("kernels", kernels.get("items", kernels)) \
        if isinstance(kernels, dict) else kernels
    found = []
    for kernel in kernels:
        answer = subprocess.run(
            [tool, "annotate", "-r", capture, "--sass", "--json",
             str(kernel["id"])], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        if answer.returncode == 0:
            source = json.loads(answer.stdout)
            if source.get("counted"):
                found.append((kernel, source))
    return found[:KERNELS]


def mangled(kernel, source):
    return source.get("function") or kernel.get("mangled") or kernel["name"]


def warps(kernel):
    """The number of warps of a launch: the count of its first instruction."""
    grid, block = kernel["grid"], kernel["block"]
    return (grid[0] * grid[1] * grid[2] *
            -(-block[0] * block[1] * block[2] // 32))


def theirs(command, name, expected):
    """ncu's source pages of the launches of ${expected} warps, each {pc:
    {column: value}}. ncu looks at one launch of each shape, and does not say
    which; of shapes with the same number of warps, the one whose counts fit is taken."""
    pages = []
    with tempfile.NamedTemporaryFile("r+") as log:
        subprocess.run(
            ["ncu", "--clock-control", "none", "--kernel-name-base",
             "mangled", "-k", "regex:^" + re.escape(name) + "$",
             "--filter-mode", "per-launch-config", "--launch-skip", "1",
             "--launch-count", "1", "--section",
             "SourceCounters", "--import-source", "no", "--page", "source",
             "--print-source", "sass", "--csv", "--log-file", log.name]
            + command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        text = log.read()
    at = text.find('"Address"')
    while at != -1:
        end = text.find('"Kernel Name"', at)
        rows = page(text[at:end if end != -1 else len(text)])
        if rows and number(rows[0][COLUMNS["inst"]]) == expected:
            pages.append(rows)
        at = text.find('"Address"', at + 1)
    return pages


def page(text):
    """One kernel's page."""
    rows = {}
    first = None
    for row in csv.DictReader(io.StringIO(text)):
        try:
            address = int(row["Address"], 16)
        except (TypeError, ValueError):
            continue
        first = address if first is None else first
        rows[address - first] = row
    return rows


def number(text):
    if text in (None, "", "-"):
        return 0
    return float(text.replace(",", ""))


def compare(source, rows):
    """(instructions, values compared, [differences])."""
    values, wrong = 0, []
    mine = {i["pc"]: i["values"] for i in source["instructions"]}
    some = next(iter(rows.values()))
    for pc, row in sorted(rows.items()):
        for key, column in COLUMNS.items():
            if column not in some:
                continue
            a = mine.get(pc, {}).get(key) or 0
            b = number(row[column])
            values += 1
            if a != b:
                wrong.append(f"{pc:#x} {key}: {a:g}, ncu {b:g}")
    return len(rows), values, wrong


def one(build, out, command):
    name = "_".join([os.path.basename(command[0])] +
                    [w for w in command[1:2] if not w.startswith("-")])
    failed = False
    for kernel, source in ours(build, out, name, command):
        pages = theirs(command, mangled(kernel, source), warps(kernel))
        short = kernel.get("short_name") or kernel["name"]
        label = f"{name} {short[:48]}"
        if not pages:
            print(f"{label}: ncu shows no launch of this shape")
            continue
        count, values, wrong = min((compare(source, rows) for rows in pages),
                                   key=lambda found: len(found[2]))
        lines = len([l for l in source["lines"] if l["instructions"]])
        print(f"{label}: {count} instructions, {lines} lines, {values} values, "
              f"{len(wrong)} differ" + (f": {wrong[0]}" if wrong else ""),
              flush=True)
        failed = failed or bool(wrong)
    return failed


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, out, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    if shutil.which("ncu") is None:
        print("skipped: there is no ncu", file=sys.stderr)
        sys.exit(77)
    os.makedirs(out, exist_ok=True)
    programs = [command] if command else [
        [os.path.join(build, "bin", "cudadvise-kernels"), pair, "--variant",
         "bad"] for pair in ("uncoalesced-global-access",
                             "shared-bank-conflicts", "warp-divergence",
                             "local-memory-spill", "array-of-structures",
                             "shared-atomic-contention")]
    sys.exit(any([one(build, out, program) for program in programs]))


main()
