"""trust_case.py: reads the cases of programs with a known bottleneck for trust.py:
the list, the codes, and the recordings of each program.
"""
import csv
import glob
import json
import os
import re
import string
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS = ("id", "source", "args", "env", "gpus", "kernels", "labels", "role",
           "counterpart", "claim", "codes", "h200_kernel_x",
           "h200_gpu_time_x", "split", "class", "after_kernels")


def read_codes(path=os.path.join(HERE, "trust_codes.tsv")):
    """{code: (whether it is about a kernel, rules, regular expression for ncu or None)}.
    A rule's name is also a code, which shows where the first code with that rule does.
    """
    codes, own = {}, {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.startswith("#") or not line.strip():
                continue
            code, shows, rules, ncu = line.rstrip("\n").split("\t")
            rest = None if ncu == "-" else re.compile(ncu, re.I)
            rules = set() if rules == "-" else set(rules.split())
            codes[code] = (shows == "kernel", rules, rest)
            for rule in rules:
                own.setdefault(rule, (shows == "kernel", {rule}, rest))
    return {**own, **codes}


def number(text):
    try:
        return float(str(text).replace(",", ""))
    except ValueError:
        return None


def read_cases(path):
    """The list, one dict a case, without a first line of column names."""
    cases = []
    with open(path, encoding="utf-8") as f:
        for line in f:
            fields = line.rstrip("\n").split("\t")
            if not fields[0] or line.startswith("#") or fields[0] == "id":
                continue
            fields += [""] * (len(COLUMNS) - len(fields))
            case = dict(zip(COLUMNS, fields))
            case["codes"] = [c for c in case["codes"].split(",") if c]
            case["rules"] = None
            cases.append(case)
    return cases


def read_pairs(directory):
    """Our own pairs as cases: bad is before, good is after, and the true fix is
    the rule of the name."""
    cases = []
    for path in sorted(glob.glob(os.path.join(directory, "*.bad.cadv"))):
        rule = os.path.basename(path)[:-len(".bad.cadv")]
        for variant, role, other in (("bad", "before", "good"),
                                     ("good", "after", "bad")):
            case = dict.fromkeys(COLUMNS, "")
            case.update(id=f"{rule}.{variant}", role=role,
                        counterpart=f"{rule}.{other}", codes=[],
                        rules={rule} if variant == "bad" else set())
            cases.append(case)
    return cases


# --- which kernels ----------------------------------------------------------

def kernel_patterns(text):
    """Regular expressions for a case's column of kernels; [] means any.

    "a; b", "copy, mul", "kernel_a..d", "CalcFB...", "stride<float>"; "host",
    "others" and text in parentheses are not kernels.
    """
    patterns = []
    text = re.sub(r"\([^)]*\)", " ", text)
    for name in re.split(r"[;,]", text):
        name = name.strip()
        span = re.fullmatch(r"(\w*)([a-z])\.\.([a-z])", name)
        if span:
            letters = string.ascii_lowercase
            first, last = (letters.index(span.group(i)) for i in (2, 3))
            patterns += [re.escape(span.group(1) + c) + r"\b"
                         for c in letters[first:last + 1]]
        elif name.endswith("..."):
            patterns.append(re.escape(name.rstrip(".")))
        elif re.fullmatch(r"[A-Za-z_]\w*(<.*>)?", name) and \
                name not in ("host", "others"):
            patterns.append(re.escape(name) +
                            ("" if name.endswith(">") else r"(_kernel)?\b"))
    return patterns


def is_labelled(name, patterns):
    """Does the demangled ${name} of a kernel match? Any does without patterns."""
    return not patterns or any(
        re.search(r"(?<!\w)" + p, name or "") for p in patterns)


# --- recordings -------------------------------------------------------------

def load(path):
    try:
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    except (OSError, ValueError):
        return None


def ask(cli, command, capture):
    """The JSON that cudadvise prints for a capture, or None."""
    done = subprocess.run([cli, *command, "--format", "json", capture],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False)
    try:
        return json.loads(done.stdout) if done.returncode == 0 else None
    except ValueError:
        return None


def read_with(reader, capture):
    """(findings, kernels) of a capture, as the command ${reader} prints them."""
    done = subprocess.run([*reader.split(), capture], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    try:
        said = json.loads(done.stdout) if done.returncode == 0 else {}
    except ValueError:
        said = {}
    return said.get("findings"), said.get("kernels")


def recorded(directory, name, cli, reader=None):
    """(findings, kernels, seconds with work for the GPU or None) of a case: from its
    capture by the current rules, else from the JSON that was written beside it; None if
    there is neither. ${reader}: only by that command."""
    capture = os.path.join(directory, f"{name}.cadv")
    findings = kernels = None
    if reader:
        findings, kernels = read_with(reader, capture)
        if findings is None or kernels is None:
            return None
    elif cli and os.path.exists(capture):
        findings = ask(cli, ["findings", "--all"], capture)
        kernels = ask(cli, ["kernels", "-n", "1000"], capture)
    if findings is None or kernels is None:
        findings = load(os.path.join(directory, f"{name}.json"))
        kernels = load(os.path.join(directory, f"{name}.kernels.json"))
    if findings is None or kernels is None:
        return None
    return findings["items"], kernels["items"], findings.get("active_s")


def read_ncu(path):
    """[(kernel, rule, text, estimated speedup in percent or None)] from a details page
    as CSV; [] if there is none."""
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            lines = [line for line in f if line.startswith('"')]
    except OSError:
        return []
    rows = []
    for row in csv.DictReader(lines):
        if (row.get("Rule Type") or "").upper() in ("OPT", "WRN"):
            rows.append((row.get("Kernel Name", ""), row.get("Rule Name", ""),
                         row.get("Rule Description", ""),
                         number(row.get("Estimated Speedup", ""))))
    return rows
