# numbers.jq: finds impossible numbers in a document of `cudadvise show --format
# json` with all findings: a line for each number that contradicts another.
# Arithmetic only: it knows nothing about the run.

# Ratios that are multiples. All others are shares.
def times: ["sectors_ratio", "reuse_ratio", "shared_reuse_ratio",
    "l2_reuse_ratio", "l2_sizes_ratio", "again_ratio", "ceiling_ratio",
    "copies_ratio", "busy_times_ratio", "passes_ratio"];
# Multiples that cannot be below one: a number over its least possible value.
def least_one: ["sectors_ratio", "wavefronts_per_inst", "wavefronts_per_atomic"];

def near: 1.0001;
def said($what): "\(.rule // "") \(.where // ""): \($what)";
def blocks: .grid[0] * .grid[1] * .grid[2];

# Checks the savings of each launch shape of a finding about several.
def of_shapes($by):
    (.shapes.items[]? | select(.saves.s != null) | .saves as $own |
        $by[.kernel_id | tostring] as $k |
        (if $own.low_s > $own.s * near or $own.s > $own.high_s * near then
            "saves \($own) with grid \(.grid)" else empty end),
        (if $own.high_s * 1e9 > ($k.exposed_ns + 1) * near then
            "saves \($own.high_s) s of \($k.exposed_ns) ns" else empty
            end)) as $what | said($what);

# The seconds by which the kernels of a finding lengthen the run.
def exposed($by):
    [(.shapes.items[]?.kernel_id), .kernel_id | numbers] | unique |
    map($by[tostring].exposed_ns // 0) | add;

def of_finding($run; $kernel; $by):
    (.saves // {}) as $s | exposed($by) as $exposed |
    (select($s.s != null) |
        (select($s.low_s > $s.s * near or $s.s > $s.high_s * near or
            $s.low_s < 0) |
            said("saves \($s.low_s), \($s.s), \($s.high_s): no interval")),
        (select($s.high_s * 1e9 > $run.wall_ns * near) |
            said("saves \($s.high_s) s of a run of \($run.wall_ns) ns")),
        (select($s.share_ratio != null and
            ($s.share_ratio > near or $s.share_ratio < 0)) |
            said("a share of \($s.share_ratio) of the run"))),
    of_shapes($by),
    (select($kernel != null and $s.s != null) |
        (select($s.high_s * 1e9 > ($exposed + 1) * near and
            (.shapes.left_out // 0) == 0) |
            said("saves \($s.high_s) s of \($exposed) ns")),
        (select(($s.kernel_speedup_ratio // 1) < 1 / near) |
            said("makes it \($s.kernel_speedup_ratio) times as fast")),
        # (If one shape is hidden and another is not, each saves something different.)
        (select($s.kernel_speedup_ratio != null and $exposed > 0 and
            (.shapes.left_out // 0) == 0 and
            ((.shapes.items // []) | length) < 2 and $s.s * 1e9 > ($exposed *
            (1 - 1 / $s.kernel_speedup_ratio) + 1) * near) |
            said("saves \($s.s) s, \($s.kernel_speedup_ratio) times as fast"))),
    (.evidence[] as $e |
        (select($e.unit == "ratio" and $e.value != null and
            (times | index($e.name) | not) and
            ($e.value > near or $e.value < 0)) |
            said("\($e.label) is \($e.value)")),
        (select($e.value != null and (least_one | index($e.name)) and
            $e.value < 1 / near) |
            said("\($e.label) is \($e.value)")),
        (select($e.value != null and $e.value < 0 and
            $e.unit != "" and $e.name != "result") |
            said("\($e.label) is \($e.value)")));

# What a rule may claim about a kernel at all.
def of_rule($kernel):
    ($kernel | blocks) as $blocks |
    ($kernel.occupancy as $o | if ($o.waves // 0) > 0 and
        ($o.blocks_per_sm // 0) > 0 then
        $blocks / $o.waves / $o.blocks_per_sm else empty end) as $sms |
    (select(.rule == "low-theoretical-occupancy" and $blocks <= $sms * near) |
        said("more blocks an SM, of \($blocks) for \($sms) SMs")),
    (select(.rule == "grid-too-small" and 
        (.saves.kernel_speedup_ratio // 1) > near *
        ([$sms / $blocks, 1 / ($kernel.occupancy.waves // 1), 1] | max)) |
        said("\(.saves.kernel_speedup_ratio) times as fast: \($blocks) blocks"));

def of_kernel:
    .time as $t | .where = .short_name |
    (select($t.mean_ns != null and ($t.min_ns > $t.mean_ns * near or
        $t.mean_ns > $t.max_ns * near)) |
        said("launches of \($t.min_ns), \($t.mean_ns), \($t.max_ns) ns")),
    (select(.exposed_ns > ($t.total_ns + 1) * near) |
        said("exposed for \(.exposed_ns) ns of \($t.total_ns)")),
    (select((.share_ratio // 0) > near) | said("a share of \(.share_ratio)")),
    (({ theoretical: .occupancy.theoretical_ratio,
        achieved: .occupancy.achieved_ratio } +
        ((.headline // {}) | map_values(.value)) +
        ((.roofline.pipes // {}) | map_values(if type == "number" then .
            else null end)) | to_entries[] |
        select(.value != null and (.value > near or .value < 0)) |
        "\(.key) is \(.value)") as $what | said($what));

def of_run:
    ([.summary.idle[]? | numbers] | add // 0) as $idle |
    (.where = "the run") |
    (select($idle > near) | said("idle for \($idle) of it")),
    ((.summary | to_entries[] | select((.value | type) == "number" and
        (.value > near or .value < 0)) | "\(.key) is \(.value)") as $what |
        said($what)),
    (select(.together_s * 1e9 > .wall_ns * near) |
        said("saves \(.together_s) s together"));

. as $all | (.kernels | INDEX(.id | tostring)) as $by |
(.run | of_run),
($by[] | of_kernel),
(.findings | (.items? // .)[] | (if .kernel_id != null then $by[.kernel_id | tostring]
    else null end) as $k | of_finding($all.run; $k; $by),
    (select($k != null) | of_rule($k)))
