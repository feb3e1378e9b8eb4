"""trust_figures.py: the published figures for a list of judged programs: how often the
first finding names what the counterpart changed, how many findings sound programs get,
and predicted against achieved speedups. Programs that the rules were tuned with ("seen")
and those that nobody looked at ("sealed") are counted separately.
"""
import statistics

GAIN = 1.10			# fixes that gain less are not counted


class Verdict:
    """The verdict on one program. ${word}: the rank of the right finding (trust.py).
    ${gain}: what the counterpart gained, in kernels or in the run; None: unknown."""

    def __init__(self, case, word, gain, sound):
        self.case = case
        self.word = word
        self.gain = gain
        self.sound = sound		# no finding above low is right
        self.alarms = 0			# findings above low that are none of its labels
        self.labelled = False		# whether the first finding is any label
        self.first = None		# its rule
        self.predicted = self.low = self.high = self.achieved = None


def interval(saves):
    """(low, high) of the kernel's speedup, from the bounds of the saved seconds."""
    ratio, seconds = saves["kernel_speedup_ratio"], saves["s"]
    low, high = saves.get("low_s"), saves.get("high_s")
    if not ratio or ratio <= 1 or not seconds or low is None or high is None:
        return None, None
    whole = seconds / (1 - 1 / ratio)
    return (whole / (whole - low) if low < whole else None,
            whole / (whole - high) if high < whole else float("inf"))


def of(n, whole):
    return f"{n} of {whole}" + (f" ({100 * n / whole:.0f} %)" if whole else "")


def predicted(verdicts):
    """The line about predictions, without counterparts that take longer: they do other
    work."""
    held = [v for v in verdicts if v.predicted and v.achieved and
            v.achieved > 1 / 1.05]
    if not held:
        return "none"
    errors = [abs(v.predicted - v.achieved) / v.achieved for v in held]
    bound = [v for v in held if v.low]
    inside = sum(v.low <= v.achieved <= v.high for v in bound)
    return (f"median error {100 * statistics.median(errors):.0f} %, "
            f"n = {len(held)}; inside the interval {of(inside, len(bound))}")


def twins(verdicts):
    """Groups of cases that are one program run in several ways: the same kernels,
    labels and counterpart."""
    groups = {}
    for v in verdicts:
        c = v.case
        if c["role"] == "before" and c["counterpart"]:
            groups.setdefault((c["counterpart"], c["kernels"],
                               tuple(c["codes"])), []).append(v)
    return [g for g in groups.values() if len(g) > 1]


def figures(verdicts):
    """[(figure, value)] of one split."""
    gains = [v for v in verdicts if not v.sound and
             v.gain is not None and v.gain >= GAIN]
    faulty = [v for v in verdicts if not v.sound]
    sound = [v for v in verdicts if v.sound]
    alarms = sum(v.alarms for v in sound)
    groups = twins(verdicts)
    lines = [
        (f"first finding names the true fix, where it gains >= "
         f"{100 * (GAIN - 1):.0f} %",
         of(sum(v.word.startswith("first") for v in gains), len(gains))),
        ("named anywhere in the list, likewise",
         of(sum(v.word != "MISSED" for v in gains), len(gains))),
        ("first finding is a labelled bottleneck, all labelled",
         of(sum(v.labelled for v in faulty), len(faulty))),
        ("named anywhere in the list, all labelled",
         of(sum(v.word != "MISSED" for v in faulty), len(faulty))),
        ("above low on sound programs, not labelled",
         f"{alarms} on {len(sound)}, {sum(v.alarms > 0 for v in sound)} of "
         "them"),
        ("predicted against achieved kernel speedup", predicted(verdicts)),
    ]
    if groups:
        same = sum(len({v.first for v in g}) == 1 for g in groups)
        lines.append(("launched once and in a loop: the same first finding",
                      of(same, len(groups))))
    return lines


def publish(verdicts):
    """Print the figures, one column for each split."""
    splits = sorted({v.case["split"] for v in verdicts if v.case["split"]},
                    key=("seen", "sealed").index)
    if not splits:
        return
    columns = [figures([v for v in verdicts if v.case["split"] == s])
               for s in splits]
    print()
    for i, split in enumerate(splits):
        print(f"{split}, {sum(v.case['split'] == split for v in verdicts)} "
              "programs:")
        for what, value in columns[i]:
            print(f"  {what}: {value}")
