#!/usr/bin/env python3
"""pairs_table.py DIR PAIR…: judge the findings that run_pairs.sh wrote.

One line for each pair: the first finding on bad, and what the pair's own finding saves,
its rank and the line that it names; the findings above low severity on good. Exit status
1 if a rule finds nothing in its bad variant, or something in its good one.
"""
import json
import os
import sys

ABOVE_LOW = ("medium", "high")


def load(path):
    try:
        with open(path) as f:
            return json.load(f)
    except (OSError, ValueError):
        return None


def seconds(finding):
    s = finding["saves"]["s"]
    return "-" if s is None else f"{s * 1e3:.0f} ms"


def state(findings, rule):
    for verdict in findings["rules"]:
        if verdict["rule"] == rule:
            reason = verdict.get("reason")
            if verdict["state"] == "not_measured" and reason:
                return f"not measured: {reason}"
            return verdict["state"]
    return "no such rule"


def place(finding):
    """The finding's first line: "a.cu:12", or "b.h:3 < a.cu:12" if inlined."""
    lines = finding.get("hot_lines") or [{}]
    places = [f"{os.path.basename(lines[0][file])}:{lines[0].get(line)}"
              for file, line in (("file", "line"),
                                 ("called_file", "called_line"))
              if lines[0].get(file)]
    return " < ".join(places) or "-"


def is_measured(text):
    return text in ("found", "clean")


def judge(directory, pair):
    """The columns of one pair's line, and a list of what is wrong."""
    bad = load(f"{directory}/{pair}.bad.json")
    good = load(f"{directory}/{pair}.good.json")
    if bad is None or good is None:
        return [pair, "no result", "", "", "", "", ""], ["no result"], False
    items = bad["items"]
    own = [f for f in items if f["rule"] == pair]
    first = items[0]["rule"] if items else "-"
    others = [f"{f['rule']} {f['severity']} {seconds(f)}"
              for f in good["items"] if f["severity"] in ABOVE_LOW]
    wrong = []
    if not own:
        wrong.append(f"bad: {state(bad, pair)}")
    if any(f["rule"] == pair for f in good["items"]):
        wrong.append("good: found")
    elif not is_measured(state(good, pair)):
        wrong.append(f"good: {state(good, pair)}")
    line = [pair, first if first != pair else "its own",
            seconds(own[0]) if own else "-",
            str(own[0]["rank"]) if own else "-",
            own[0]["severity"] if own else "-",
            place(own[0]) if own else "-",
            "; ".join(others) or "-"]
    return line, wrong, first == pair


def main():
    directory, pairs = sys.argv[1], sys.argv[2:]
    head = ["pair", "bad: first finding", "own saves", "rank", "severity",
            "line", "good: above low"]
    lines, failures, firsts, quiet = [head], [], 0, 0
    for pair in pairs:
        line, wrong, first = judge(directory, pair)
        lines.append(line)
        firsts += first
        quiet += line[-1] == "-" and "no result" not in wrong
        failures += [f"FAIL: {pair}: {w}" for w in wrong]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    for line in lines:
        print(" | ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip())
    print(f"\n{len(pairs)} pairs: own rule first on bad {firsts}, good with "
          f"nothing above low {quiet}, failures {len(failures)}")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


sys.exit(main())
