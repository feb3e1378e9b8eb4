#!/usr/bin/env python3
"""overhead_table.py TIMES NCU_LAUNCHES NCU_LOOP: overhead.sh's table.

Ratios are to the same program alone in the same repetition; the table has their median
and range. "fastest" is the ratio of the fastest repetitions, also for second halves:
other load on the machine can only make a repetition slower. For ncu: the time of a
launch that it looks at, as a multiple of the launch alone. For the loop at several
lengths ("loop-100000"): the cost that is paid once, and the cost of each launch. Exit
status 1 if the trace tier costs more than half of nsys's slowdown, or nothing was
measured. "attached" is a library that subscribes to CUPTI and asks for nothing, "empty"
one that has CUPTI record kernels and looks at nothing: what CUPTI alone costs.
"detached" is "empty", with CUPTI detached after a while: its second half counts.
"""
import statistics
import sys

ORDER = ["none", "attached", "empty", "detached", "trace", "auto", "counters",
         "sampling", "source", "nsys", "ncu", "ncu-full"]
SMALL = 0.02  # slowdown that the trace tier may always have, even if nsys has none


def read(path):
    """{target: {mode: {repetition: row}}}"""
    runs = {}
    with open(path) as f:
        for line in f:
            name, mode, rep, value, wall, half, count = \
                line.rstrip("\n").split("\t")
            runs.setdefault(name, {}).setdefault(mode, {})[int(rep)] = {
                "value": float(value), "wall": float(wall),
                "half": float(half) if half else None,
                "launches": int(count) if count else None}
    return runs


def spread(values, form):
    """Median and range, as text; a dash where there is nothing."""
    if not values:
        return "-"
    middle = format(statistics.median(values), form)
    if len(values) == 1:
        return middle
    return f"{middle} ({min(values):{form}} to {max(values):{form}})"


def pairs(rows, none, key):
    """The values of both in the same repetitions."""
    return [(rows[r][key], none[r][key]) for r in sorted(set(rows) & set(none))
            if rows[r][key] is not None and none[r][key]]


def fastest(rows, none, key):
    """The ratio of the least values of both; a dash if one is missing."""
    least = [min((r[key] for r in of.values() if r[key]), default=None)
             for of in (rows, none)]
    return f"{least[0] / least[1]:.3f}" if None not in least else "-"


def launch_seconds(name, modes):
    """Seconds of one launch of the program alone, or None."""
    alone = statistics.median(r["value"] for r in modes["none"].values())
    if name == "loop":
        return alone / 1e9
    counts = [r["launches"] for r in modes.get("trace", {}).values()
              if r["launches"]]
    return alone / counts[0] if counts else None


def ncu_line(name, mode, modes, launches, loop):
    """The time of one launch under ncu by the program's own clock, which leaves out the
    start of the program and of ncu."""
    row = next(iter(modes[mode].values()))
    one = launch_seconds(name, modes)
    if "short" not in modes:
        return f"  {mode:9} -"
    alone = next(iter(modes["short"].values()))["value"]
    if name == "loop":
        cost = (row["value"] - alone) / 1e9 * loop / launches
    else:
        cost = (row["value"] - alone) / launches
    ratio = f"{cost / one:,.0f} ×" if one else "-"
    return (f"  {mode:9} {ratio} a launch that it looks at ({cost * 1e3:.1f} ms "
            f"each, {launches} launches)")


def target(name, modes, launches, loop):
    """Print one target's table; returns the slowdown of each mode."""
    none = modes["none"]
    unit, form = ("ns a launch", ".0f") if name == "loop" else ("s", ".3f")
    slow = {}
    print(f"{name}: alone {spread([r['value'] for r in none.values()], form)} "
          f"{unit}")
    print(f"  {'mode':9} {'ratio':24} {'second half':24} "
          f"{'... over trace':24} {'fastest':7} {'half':5} "
          f"{'seconds more in all':24} n")
    for mode in ORDER[1:]:
        if mode not in modes:
            continue
        if mode.startswith("ncu"):
            print(ncu_line(name, mode, modes, launches, loop))
            continue
        ratio = [a / b for a, b in pairs(modes[mode], none, "value")]
        half = [a / b for a, b in pairs(modes[mode], none, "half")]
        over = [a / b for a, b in pairs(modes[mode], modes.get("trace", {}),
                                        "half")] if mode != "trace" else []
        more = [a - b for a, b in pairs(modes[mode], none, "wall")]
        if ratio:
            slow[mode] = statistics.median(ratio) - 1
        print(f"  {mode:9} {spread(ratio, '.3f'):24} {spread(half, '.3f'):24} "
              f"{spread(over, '.3f'):24} "
              f"{fastest(modes[mode], none, 'value'):7} "
              f"{fastest(modes[mode], none, 'half'):5} "
              f"{spread(more, '.2f'):24} {len(ratio)}")
    return slow


def line_through(points):
    """(value at 0, slope) of the least-squares line through the points (x, y); None if
    they have only one x."""
    if not points:
        return None
    n = len(points)
    x0 = sum(x for x, _ in points) / n
    y0 = sum(y for _, y in points) / n
    square = sum((x - x0) ** 2 for x, _ in points)
    if square == 0:
        return None
    slope = sum((x - x0) * (y - y0) for x, y in points) / square
    return y0 - slope * x0, slope


def parts(lengths, mode, seconds):
    """The cost of ${mode} over the program alone: (s once, s a launch)."""
    of = [line_through([(n, seconds(n, row)) for n, modes in lengths.items()
                        for row in modes.get(m, {}).values()])
          for m in ("none", mode)]
    if None in of:
        return None
    return of[1][0] - of[0][0], of[1][1] - of[0][1]


def print_parts(lengths):
    """Print the table of the loop at several lengths: by the time of the whole command,
    with its start and end, and by the program's own clock, which starts after the first
    launch."""
    names = " and ".join(f"{n:,}" for n in sorted(lengths))
    print(f"loop of {names} launches: what is paid once, and by launch")
    print(f"  {'mode':9} {'the command, once':20} {'a launch':12} "
          f"{'the loop, once':20} {'a launch':12} n")
    for mode in ORDER[1:]:
        wall = parts(lengths, mode, lambda n, row: row["wall"])
        own = parts(lengths, mode, lambda n, row: row["value"] * n / 1e9)
        if wall is None:
            continue
        cells = [text for once, each in (wall, own) for text in
                 (f"{round(once, 3) + 0.0:.3f} s",  # no "-0.000"
                  f"{each * 1e9:.0f} ns")]
        count = min(len(modes.get(mode, {})) for modes in lengths.values())
        print(f"  {mode:9} {cells[0]:20} {cells[1]:12} {cells[2]:20} "
              f"{cells[3]:12} {count}")


def main():
    runs = read(sys.argv[1])
    lengths = {int(name.partition("-")[2]): runs.pop(name)
               for name in list(runs) if name.startswith("loop-")}
    failed = not runs and not lengths
    for name, modes in runs.items():
        if "none" not in modes:
            continue
        slow = target(name, modes, int(sys.argv[2]), int(sys.argv[3]))
        if "trace" in slow and "nsys" in slow:
            good = slow["trace"] <= max(slow["nsys"] / 2, SMALL)
            failed |= not good
            print(f"  trace costs {slow['trace']:+.1%}, nsys "
                  f"{slow['nsys']:+.1%}: "
                  f"{'at most half' if good else 'FAIL: more than half'}")
    if lengths:
        print_parts(lengths)
    if failed and not runs:
        print("FAIL: nothing was measured")
    return failed


if __name__ == "__main__":
    sys.exit(main())
