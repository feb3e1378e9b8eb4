#!/usr/bin/env python3
"""trust.py judge [--cli CUDADVISE | --reader COMMAND] [--bars] [--sealed]
               [--only ID,…] LIST DIR
trust.py pairs  --cli CUDADVISE [--bars] [--only ID,…] CAPTURES
trust.py plan   [--only ID,…] LIST

Is the advice right for programs with a known bottleneck? LIST is a
tab-separated list of cases (trust_case.py has the columns), DIR what trust.sh
recorded of them: ID.cadv, or ID.json and ID.kernels.json, and ID.ncu.csv. With
--cli the current rules judge the captures. `pairs` judges our own reference
pairs in the same way, bad as before and good as after.

Prints one line a case: the first finding that predicts seconds, whether it names a
true fix ("under the noise": it is listed, but as not worth a change), the findings
above low severity on a variant without the fault, and the predicted kernel speedup
against that of the counterpart. Then a table of the rules, and the figures that are
published (trust_figures.py). With --bars the exit status is 1 if the design's bars are
missed. 77: nothing to judge.

A finding is right if it names what the counterpart changed: the first label of the
program, even if a part of it stays, and those that the counterpart has no longer. If
they all stay, or there is no counterpart, it is right if it names any of them.
What remains in the counterpart is in the program, too: who names it says nothing false.
Cases that the list calls sealed are left out; with --sealed they are in the figures,
and nowhere else. --reader is a command that prints the findings and kernels of a
capture as if less had been recorded (rules-withheld permission: no counters and no
samples).
"""
import argparse
import math
import statistics
import sys

import trust_case as tc
import trust_figures as tf

ABOVE_LOW = ("medium", "high")
BAR_FIRST = 0.9			# of the cases whose fix pays
BAR_ERROR = 0.15		# median, predicted against achieved
PAYS = 1.05			# a smaller ratio counts as 1


def rules_of(case, codes, left=()):
    """The rules that name a true fix: without those of the codes in ${left}, but with
    the first code's, a part of which is left, unless all are in ${left}."""
    if case["rules"] is not None:
        return case["rules"]
    all_left = all(c in left for c in case["codes"])
    return set().union(*(codes[c][1] for i, c in enumerate(case["codes"])
                         if c in codes and (i == 0 or all_left or c not in left)))


class Judged:
    """The findings of one case, and whether they are right."""

    def __init__(self, case, codes, found, left=()):
        self.case = case
        self.findings, self.kernels, self.active_s = found
        self.patterns = tc.kernel_patterns(case["kernels"])
        own = rules_of(case, codes)
        self.mended = rules_of(case, codes, left) or own
        self.true_rules = own.union(*(codes[c][1] for c in left if c in codes))
        name = {k["id"]: k["name"] for k in self.kernels}
        for f in self.findings:
            f["true"] = f["rule"] in self.true_rules and (
                f["kernel_id"] is None or
                tc.is_labelled(name.get(f["kernel_id"]), self.patterns))
            f["mends"] = f["true"] and f["rule"] in self.mended
        # A finding about correctness does not answer what to change first,
        # unless it is the true fix.
        self.listed = [f for f in self.findings
                       if f["category"] != "correctness" or f["true"]]
        self.told = [f for f in self.listed if f["worth_it"]]
        self.alarms = [f for f in self.told if f["severity"] in ABOVE_LOW and
                       f["category"] != "correctness"]

    @property
    def first(self):
        return self.listed[0] if self.listed else None

    def word(self):
        """The rank of the first finding about what the counterpart fixes."""
        for i, f in enumerate(self.listed):
            if f["mends"]:
                return ("first" if i == 0 else f"rank {i + 1}") + (
                    "" if f["worth_it"] else ", under the noise")
        return "MISSED"

    def kernel_ns(self, patterns=None):
        """For each labelled kernel: the shortest launch of its heaviest shape; if each
        launch was measured, the mean duration while measured."""
        top = {}
        for k in self.kernels:
            if not tc.is_labelled(k["name"], patterns or self.patterns):
                continue
            old = top.get(k["short_name"])
            if old is None or \
                    k["time"]["total_ns"] > old["time"]["total_ns"]:
                top[k["short_name"]] = k
        return sum(k["time"]["min_ns"] or
                   k["time"]["total_ns"] / max(1, k["launches"])
                   for k in top.values())

    def gpu_ns(self):
        return sum(k["time"]["total_ns"] for k in self.kernels)

    def prediction(self):
        """The first right finding about a labelled kernel that names what the counterpart
        fixes."""
        return next((f for f in self.listed if f["mends"] and
                     f["kernel_id"] is not None and
                     f["saves"]["kernel_speedup_ratio"]), None)

    def narrow(self):
        """If the case lists no kernels, use the finding's own kernel."""
        f = self.prediction()
        if not self.patterns and f is not None:
            own = next((k["short_name"] for k in self.kernels
                        if k["id"] == f["kernel_id"]), f["where"])
            self.patterns = [tc.re.escape(own) + r"\b"]
        return self.patterns


def ratio(before, after):
    return before / after if before and after else None


def achieved(before, after):
    """The ratios before / after of (kernel, GPU) time, from the list (whole undisturbed
    runs), else from the recordings; None: unknown."""
    given = [tc.number(before.case[c]) for c in ("h200_kernel_x",
                                                 "h200_gpu_time_x")]
    others = tc.kernel_patterns(before.case["after_kernels"])
    faster = before.kernel_ns(others) if others else 0
    if faster > 0:		# both kernels are in this run
        return [given[0] or ratio(before.kernel_ns(), faster), given[1]]
    if after is None or after is before:
        return given
    if others:
        return [given[0] or ratio(before.kernel_ns(), after.kernel_ns(others)),
                given[1] or ratio(before.gpu_ns(), after.gpu_ns())]
    if not after.patterns:
        after.patterns = before.narrow()
    return [given[0] or ratio(before.kernel_ns(), after.kernel_ns()),
            given[1] or ratio(before.gpu_ns(), after.gpu_ns())]


def run_gain(before, after):
    """How much shorter the counterpart's time with work for the GPU is, or None."""
    return ratio(before.active_s, after.active_s) \
        if after not in (None, before) else None


def pays(case, codes, kernel_x, gpu_x, run_x):
    """Whether the fix pays: in a program that the list calls sound, only if it was
    measured to gain; in others, unless kernel times say that it does not, which they
    can only of faults that show in kernels."""
    in_kernels = all(codes[c][0] for c in case["codes"] if c in codes)
    known = [x for x in (kernel_x, gpu_x) if x is not None]
    if case["claim"].lower().startswith("sound"):
        if run_x is not None and not in_kernels:
            known.append(run_x)
        return any(x >= tf.GAIN for x in known)
    if case["rules"] is not None or not in_kernels:
        return True
    return not known or any(x >= PAYS for x in known)


def gain_of(before, after, codes, kernel_x, gpu_x):
    """The counterpart's gain in the time where the fault shows, or None."""
    shows = {codes[c][0] for c in before.case["codes"] if c in codes and
             codes[c][1] & before.mended}
    run_x = run_gain(before, after)
    known = [x for x in ((kernel_x or gpu_x) if True in shows else None,
                         (run_x or gpu_x) if False in shows else None)
             if x is not None]
    return max(known, default=None)


def short(x, unit=""):
    return "-" if x is None else f"{x:.3g}{unit}"


def saved(f):
    s = f["saves"]["s"]
    return "-" if s is None else f"{s * 1e3:.3g} ms"


class Tally:
    """For each rule and code: how often right, and how often wrong above low."""

    def __init__(self):
        self.true, self.false, self.codes = {}, {}, {}

    def add(self, judged, codes):
        for rule in {f["rule"] for f in judged.listed if f["true"]}:
            self.true[rule] = self.true.get(rule, 0) + 1
        for rule in {f["rule"] for f in judged.alarms if not f["true"]}:
            self.false[rule] = self.false.get(rule, 0) + 1
        if judged.case["role"] not in ("before", "mixed"):
            return
        own = {r: {r} for r in judged.case["rules"] or ()} or \
            {c: codes[c][1] for c in judged.case["codes"]
             if c in codes and codes[c][1]}
        for code, rules in own.items():
            n = self.codes.setdefault(code, [0, 0, 0])
            n[0] += 1
            n[1] += any(f["true"] and f["rule"] in rules
                        for f in judged.listed)
            n[2] += bool(judged.listed) and judged.first["true"] and \
                judged.first["rule"] in rules

    def lines(self):
        yield ["rule", "true", "false above low"]
        for rule in sorted(set(self.true) | set(self.false)):
            yield [rule, str(self.true.get(rule, 0)),
                   str(self.false.get(rule, 0))]

    def code_lines(self):
        yield ["code", "cases", "found", "found first", "missed"]
        for code, (n, found, first) in sorted(self.codes.items()):
            yield [code, str(n), str(found), str(first), str(n - found)]


def table(lines):
    lines = list(lines)
    widths = [max(len(line[i]) for line in lines)
              for i in range(len(lines[0]))]
    for line in lines:
        print(" | ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip())


def ncu_says(case, codes, directory):
    """(message with the largest estimate, whether it is right, whether any is) or None."""
    patterns = tc.kernel_patterns(case["kernels"])
    rows = [r for r in tc.read_ncu(f"{directory}/{case['id']}.ncu.csv")
            if tc.is_labelled(r[0], patterns)]
    if not rows:
        return None
    wanted = [codes[c][2] for c in case["codes"] if c in codes and codes[c][2]]
    true = [r for r in rows if any(w.search(f"{r[1]} {r[2]}")
                                   for w in wanted)]
    top = max(rows, key=lambda r: r[3] or 0)
    return top, top in true, bool(true), true, len(rows)


def ncu_summary(said, errors):
    if not said:
        return
    print(f"\nNsight Compute, {len(said)} cases with a fault: the largest "
          f"estimate names the true fix in {sum(s[1] for s in said)}, any "
          f"message in {sum(s[2] for s in said)}; messages a case "
          f"{statistics.mean(s[4] for s in said):.1f}" +
          (f"; median error of the right rule's estimate "
           f"{100 * statistics.median(errors):.0f} %" if errors else ""))


def verdict_of(judged, pairs_off):
    """The verdict for the case's line, as a word."""
    role = judged.case["role"]
    if role in ("after", "control"):
        false = [f for f in judged.alarms if not f["true"]]
        return "ALARM" if false else "quiet"
    if pairs_off:
        return "quiet" if not judged.alarms else "told, though it pays nothing"
    return judged.word()


def verdict(j, after, codes, off, prediction, ratios):
    """One program's contribution to the published figures."""
    before = j.case["role"] in ("before", "mixed")
    v = tf.Verdict(j.case, j.word(), gain_of(j, after, codes, *ratios)
                   if before else None, not before or off)
    v.alarms = sum(not f["true"] for f in j.alarms)
    v.labelled = bool(j.listed) and j.first["true"]
    v.first = j.first["rule"] if j.listed else None
    v.achieved = ratios[0]
    if prediction and not off:
        v.predicted = prediction["saves"]["kernel_speedup_ratio"]
        v.low, v.high = tf.interval(prediction["saves"])
    return v


def judge(cases, codes, directory, o):
    """Print everything; returns the values that the bars apply to."""
    judged, left = {}, {c["id"]: c["codes"] for c in cases}
    for case in cases:
        found = tc.recorded(directory, case["id"], o.cli, o.reader)
        if found is not None:
            before = case["role"] in ("before", "mixed")
            judged[case["id"]] = Judged(
                case, codes, found,
                left.get(case["counterpart"], ()) if before else ())
    lines = [["case", "role", "verdict", "first finding", "saves", "predicted",
              "achieved", "GPU time", "above low, not labelled"]]
    tally, errors, firsts, alarms, quiet = Tally(), [], [], [], []
    said, ncu_errors, verdicts = [], [], []
    for case in cases:
        j = judged.get(case["id"])
        sealed = case["split"] == "sealed"
        if j is None and sealed:
            continue
        if j is None:
            lines.append([case["id"], case["role"], "not recorded"] +
                         [""] * 6)
            continue
        after = judged.get(case["counterpart"])
        before = case["role"] in ("before", "mixed")
        kernel_x, gpu_x = achieved(j, after) if before else (None, None)
        off = before and not pays(case, codes, kernel_x, gpu_x, run_gain(j, after))
        word = verdict_of(j, off)
        f = j.prediction() if before else None
        predicted = f["saves"]["kernel_speedup_ratio"] if f else None
        verdicts.append(verdict(j, after, codes, off, f, (kernel_x, gpu_x)))
        if sealed:
            continue
        if before and off:
            quiet.append(word == "quiet")
        elif before:
            firsts.append(word)
            # A counterpart that takes longer does other work: its prediction is
            # left out.
            if predicted and kernel_x and kernel_x > 1 / PAYS:
                errors.append(abs(predicted - kernel_x) / kernel_x)
        else:
            alarms.append(word == "ALARM")
        if not off:
            tally.add(j, codes)
        ncu = ncu_says(case, codes, directory)
        if ncu and before and not off:
            said.append(ncu)
            best = max((r[3] for r in ncu[3] if r[3]), default=None)
            if best is not None and best < 100 and kernel_x and \
                    kernel_x > 1 / PAYS:
                ncu_errors.append(abs(1 / (1 - best / 100) - kernel_x) /
                                  kernel_x)
        false = [f"{x['rule']} {saved(x)}" for x in j.alarms if not x["true"]]
        lines.append([case["id"], case["role"], word,
                      j.first["rule"] if j.first else "-",
                      saved(j.first) if j.first else "-",
                      short(predicted, "x"), short(kernel_x, "x"),
                      short(gpu_x, "x"), "; ".join(false) or "-"])
    table(lines)
    tf.publish(verdicts)
    print()
    table(tally.lines())
    print()
    table(tally.code_lines())
    ncu_summary(said, ncu_errors)
    return len(judged), firsts, alarms, quiet, errors


def summary(n, firsts, alarms, quiet, errors):
    """Print the summary; False if a bar is missed."""
    median = statistics.median(errors) if errors else math.nan
    first = sum(w.startswith("first") for w in firsts)
    share = first / len(firsts) if firsts else math.nan
    print(f"\n{n} cases judged. The first finding names the true fix in "
          f"{first} of {len(firsts)} ({first - firsts.count('first')} under the "
          f"noise); of {len(alarms)} without the fault "
          f"{sum(alarms)} are told something false above low; of {len(quiet)} "
          f"whose fix pays nothing {sum(quiet)} are left in peace.")
    print(f"Predicted against achieved kernel speedup: median error "
          f"{100 * median:.0f} %, {len(errors)} cases." if errors else
          "No prediction could be held against what was achieved.")
    return not (share < BAR_FIRST or any(alarms) or median > BAR_ERROR)


def plan(cases):
    """Print one line a program: id, arguments, environment, GPUs, and for ncu the number of
    kernels and their names."""
    by_id, done = {c["id"]: c for c in cases}, set()
    for case in cases:
        for c in (case, by_id.get(case["counterpart"])):
            if c is None or c["id"] in done:
                continue
            done.add(c["id"])
            names = tc.kernel_patterns(c["kernels"])
            print("\037".join((c["id"], c["args"], c["env"], c["gpus"] or "1",
                              str(min(len(names) or 3, 6)), "|".join(names))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=
                                     argparse.RawDescriptionHelpFormatter)
    sub = parser.add_subparsers(dest="what", required=True)
    for what, operands in (("judge", ("list", "dir")),
                           ("pairs", ("captures",)), ("plan", ("list",))):
        p = sub.add_parser(what)
        p.add_argument("--cli")
        p.add_argument("--reader")
        p.add_argument("--sealed", action="store_true")
        p.add_argument("--bars", action="store_true")
        p.add_argument("--only", default="")
        for name in operands:
            p.add_argument(name)
    o = parser.parse_args()
    codes = tc.read_codes()
    cases = tc.read_pairs(o.captures) if o.what == "pairs" else \
        tc.read_cases(o.list)
    only = {x for x in o.only.split(",") if x}
    others = {c["counterpart"] for c in cases if c["id"] in only}
    cases = [c for c in cases if not only or c["id"] in only | others]
    if o.what == "judge" and not o.sealed:
        cases = [c for c in cases if c["split"] != "sealed"]
    if o.what == "plan":
        plan(cases)
        return 0
    strange = {x for c in cases for x in c["codes"]} - set(codes)
    if strange:
        print(f"codes that trust_codes.tsv lacks: {' '.join(sorted(strange))}")
    directory = o.dir if o.what == "judge" else o.captures
    n, *rest = judge(cases, codes, directory, o)
    if n == 0:
        print("nothing was recorded")
        return 77
    met = summary(n, *rest)
    if o.bars and not met:
        print("FAIL: a bar is missed")
    return int(o.bars and not met)


if __name__ == "__main__":
    sys.exit(main())
