#!/usr/bin/env python3
"""corpus.py OUT [--lists] [--split seen|sealed] [--jobs N] [--nvcc NVCC] [--arch ARCH]

Builds the programs of this folder into OUT/programs, each as FAMILY.b (with the
fault) and FAMILY.a (without it), and writes the lists that ../trust.sh takes:
OUT/seen.tsv, OUT/sealed.tsv, OUT/all.tsv, and OUT/once.tsv, which has the programs
that run with one launch (FAMILY.once) as well as with many (FAMILY.loop). Python
programs become PROGRAM.b and, with the argument "fixed", PROGRAM.a; their list is
OUT/python.tsv. --lists leaves the building out, --split the programs of the other half.
Exit status 1 if a program would not build.
"""
import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import trust_case  # noqa: E402

FIELDS = ("family", "class", "flags", "flags_before", "flags_after",
          "arguments_before", "arguments_after", "environment",
          "kernels_before", "kernels_after", "codes_before", "codes_after",
          "once", "loop", "claim")


SPLITS = ("seen", "sealed")


def split_of(family):
    """The split: "sealed" for the folder of that name, into which nobody has looked."""
    return os.path.basename(family["folder"])


def read_families(folder):
    families = []
    with open(os.path.join(folder, "families.txt"), encoding="utf-8") as f:
        for line in f:
            if not line.startswith("#") and line.strip():
                family = dict(zip(FIELDS, (x.strip() for x in line.split("|"))))
                family["folder"] = folder
                families.append(family)
    return families


def case(family, name, which):
    """A line of a list; ${which} is "before" or "after"."""
    before = which == "before"
    codes = family["codes_" + which]
    return {
        "id": name, "source": family["family"] + ".cu",
        "args": family["arguments_" + which], "env": family["environment"],
        "gpus": "1", "kernels": family["kernels_" + which],
        "labels": codes or ("" if before else "OK"), "role": which,
        "counterpart": family["family"] + (".a" if before else ".b"),
        "claim": family["claim"], "codes": codes,
        "split": split_of(family),
        "class": family["class"]}


def pair(family):
    name = family["family"]
    return [case(family, name + ".b", "before"),
            case(family, name + ".a", "after")]


def once(family):
    """The pair, and its first program with the other number of launches."""
    if not family["once"]:
        return []
    before, after = pair(family)
    is_once = before["args"].split() == family["once"].split()
    other = dict(before, id=family["family"] + (".loop" if is_once else ".once"),
                 args=family["loop" if is_once else "once"])
    return [before, other, after]


def read_python(folder):
    with open(os.path.join(folder, "python.txt"), encoding="utf-8") as f:
        return [dict(zip(("family", "class", "claim", "codes", "left", "folder"),
                         (*line.rstrip("\n").split("|"), folder)))
                for line in f if not line.startswith("#")]


def python_cases(p):
    """The cases of a Python program; one without a fault is a control and has no pair."""
    alone = p["left"] == "None"
    base = {"source": p["family"] + ".py", "gpus": "1", "class": p["class"],
            "split": split_of(p)}
    codes, left = p["codes"] or "OK", p["left"]
    before = dict(base, id=p["family"] + ".b", claim=p["claim"], codes=codes,
                  labels=codes, role="control" if alone else "before",
                  counterpart="" if alone else p["family"] + ".a")
    after = dict(base, id=p["family"] + ".a", args="fixed", codes=left, labels=left,
                 role="after", counterpart=p["family"] + ".b")
    return [before] if alone else [before, after]


def write_python(p, out):
    shutil.copy(os.path.join(p["folder"], p["family"] + ".py"), out)
    for c in python_cases(p):
        path = os.path.join(out, c["id"])
        with open(path, "w", encoding="utf-8") as f:
            f.write(f'#!/bin/sh\nexec python3 "$(dirname "$0")/{p["family"]}.py" '
                    '"$@"\n')
        os.chmod(path, 0o755)


def write(path, cases):
    with open(path, "w", encoding="utf-8") as f:
        f.write("#" + "\t".join(trust_case.COLUMNS) + "\n")
        for c in cases:
            f.write("\t".join(c.get(x, "") for x in trust_case.COLUMNS) + "\n")


def build(family, name, flags, out, options):
    source = os.path.join(family["folder"], family["family"] + ".cu")
    r = subprocess.run(
        [options.nvcc, "-arch=" + options.arch, "-O3", "-lineinfo", "-std=c++17",
         "-cudart", "shared", "-w", "-I", HERE, *family["flags"].split(),
         *flags.split(), "-o", os.path.join(out, name), source],
        capture_output=True, text=True, check=False)
    return name, r.returncode, r.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[1])
    parser.add_argument("out")
    parser.add_argument("--lists", action="store_true")
    parser.add_argument("--split", choices=SPLITS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or
                        "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--arch", default="sm_90")
    options = parser.parse_args()
    programs = os.path.join(options.out, "programs")
    os.makedirs(programs, exist_ok=True)
    with tarfile.open(os.path.join(HERE, "sealed.tar.xz")) as t:
        # Python 3.11.2, Debian 12's, has no filters yet.
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        t.extractall(options.out, **safe)
    halves = [os.path.join(HERE if split == "seen" else options.out, split)
              for split in SPLITS if options.split in (None, split)]
    families = [f for half in halves for f in read_families(half)]
    families.sort(key=lambda f: f["family"])
    cases = [c for f in families for c in pair(f)]
    write(os.path.join(options.out, "all.tsv"), cases)
    write(os.path.join(options.out, "once.tsv"),
          [c for f in families for c in once(f)])
    for split in SPLITS:
        write(os.path.join(options.out, split + ".tsv"),
              [c for c in cases if c["split"] == split])
    python = [p for half in halves for p in read_python(half)]
    write(os.path.join(options.out, "python.tsv"),
          [c for p in python for c in python_cases(p)])
    for p in python:
        write_python(p, programs)
    if options.lists:
        return 0
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = [pool.submit(build, f, f["family"] + end, f[flags], programs,
                            options)
                for f in families
                for end, flags in ((".b", "flags_before"), (".a", "flags_after"))]
        for job in concurrent.futures.as_completed(jobs):
            name, status, said = job.result()
            if status != 0:
                failed += 1
                print(f"{name}: does not build\n{said}", file=sys.stderr)
    for c in (c for f in families for c in once(f)):
        link = os.path.join(programs, c["id"])
        if c["id"].endswith((".once", ".loop")) and not os.path.lexists(link):
            os.symlink(c["counterpart"][:-2] + ".b", link)
    print(f"{len(jobs) - failed} of {len(jobs)} programs built")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
