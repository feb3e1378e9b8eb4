"""pair.py: what the pairs of this folder share.

Each file is a practice as users of a framework meet it: `python3 FILE bad` and
`python3 FILE good` do the same work, print the same kind of result on stdout and
run a few seconds on an H200. A framework that is not installed ends it with
status 77. Its loop has STEPS turns (frameworks_table.py counts what comes as
often). With CUDADVISE_PAIR_TURN=FD, a file that several have opened for themselves,
they take turns on the GPU, so that only what comes before they use it overlaps.
"""
import fcntl
import importlib
import os
import sys


def want(*names):
    """The modules of that name; the program ends where one is missing."""
    found = []
    for name in names:
        try:
            found.append(importlib.import_module(name))
        except (ImportError, AttributeError):
            print(f"skipped: no {name} here", file=sys.stderr)
            sys.exit(77)
    return found[0] if len(found) == 1 else found


def torch_gpu():
    """PyTorch, with a GPU; the same random numbers every time."""
    torch = want("torch")
    turn()
    if not torch.cuda.is_available():
        print("skipped: PyTorch sees no GPU", file=sys.stderr)
        sys.exit(77)
    torch.manual_seed(1)
    return torch


def run(bad, good):
    """Run the variant that the command line names, and print what it returns."""
    variants = {"bad": bad, "good": good}
    if len(sys.argv) != 2 or sys.argv[1] not in variants:
        print(f"usage: {sys.argv[0]} bad|good", file=sys.stderr)
        sys.exit(2)
    print(f"{variants[sys.argv[1]]():.4g}")


def turn():
    """Nobody else is on the GPU from here on, until the last process that has
    inherited the file is gone: an object of Python's would end the turn while
    the program still tidies up, and the next one would find no counters."""
    fd = os.environ.get("CUDADVISE_PAIR_TURN")
    if fd:
        fcntl.flock(int(fd), fcntl.LOCK_EX)
