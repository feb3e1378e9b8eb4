# Where the program launches its work: call stacks with names and lines.

load common

source_file=${BATS_TEST_DIRNAME%/e2e}/mock/target.c

# The line of the target's source that contains TEXT.
line_of() {
	grep -nF -- "$1" "$source_file" | head -n 1 | cut -d : -f 1
}

export_run() {
	"$bin/cudadvise" export "$@" >run.json
}

has_launch_sites() {
	local line
	line=$(line_of 'if (mock_kernel_launch(j->context')
	same "kernels with a launch site" "$(of '[.sites[] |
	    select(.call == "launch") | .kernel_id] | unique | length')" "$1"
	same "function and line of a launch" "$(of '.sites[] |
	    select(.call == "launch") | "\(.function) \(.line)"' |
	    sort -u)" "launch $line"
	same "its file" "$(of '.sites[] | select(.call == "launch") | .file' |
	    sort -u)" "$source_file"
	same "who called it" "$(of '.sites[] | select(.call == "launch") |
	    .frames[1].function' | sort -u)" work
}

@test "each kernel has the line that launched it, and who called that" {
	options=
	measure --kernels 40 --signatures 4
	export_run 1
	has_launch_sites 4
	same "who called that" "$(of '[.sites[] | select(.call == "launch") |
	    .frames[2:4] | map(.function) | join(" ")] | unique[]')" \
	    "run_all main"
	same "stacks of each" "$(of '[.sites[] | select(.call == "launch") |
	    .count] | unique | map(tostring) | join(" ")')" 2
	same "the wait's line" "$(of '.sites[] |
	    select(.call == "cudaDeviceSynchronize") |
	    "\(.function) \(.line)"')" \
	    "work $(line_of 'mock_synchronize(c);')"
}

@test "in front of which call the GPU waited for the host" {
	options=
	measure --kernels 200 --signatures 1 --kernel-us 20 --pause-us 3000
	export_run 1
	same "the line" "$(of '.sites[] | select(.idle_gaps > 20 and
	    .idle_s > 0.05) | "\(.call) \(.function) \(.line)"')" \
	    "launch launch $(line_of 'if (mock_kernel_launch(j->context')"
	grep -q "what this line calls" report ||
	    fail "$(cat report)"
}

@test "the same without a daemon" {
	options="--no-daemon -o x.cadv"
	measure --kernels 40 --signatures 4
	# The names are in the capture, so that it can be read elsewhere.
	"$bin/cudadvise" import x.cadv >/dev/null
	export_run 1
	has_launch_sites 4
}

@test "threads that launch the same kernels at once" {
	options=
	measure --kernels 200 --signatures 16 --threads 8
	export_run 1
	has_launch_sites 16
	# A launch waits for a kernel that another thread measures, for 20 ms (injection/gate.c).
	# On a busy machine that may not be enough: then CUPTI has no record of the launch,
	# which is told.
	same "launches, told or lost" "$(of '.run | .launches + .data.lost')" 1600
	same "lost by us" "$(of '.run.data.lost_by | del(.cupti) | add')" 0
}

@test "a process of the program's own has its stacks, too" {
	options=
	measure --kernels 20 --signatures 2 --exec
	export_run 1
	same "launch sites without a line" "$(of '[.sites[] |
	    select(.call == "launch" and .line == null)] | length')" 0
}

@test "without symbols there is the module, and no guess" {
	options=
	strip -o bare "$target"
	"$bin/cudadvise" run $options -- ./bare --kernels 20 --signatures 1 \
	    >out 2>report
	export_run 1
	same "the frame that launched" "$(of '.sites[] |
	    select(.call == "launch") | .frames[0] |
	    "\(.module) \(.function) \(.file)"')" "bare null null"
}

@test "paths of a capture from elsewhere are not opened" {
	mkdir spool
	env CUDA_INJECTION64_PATH="$E2E_BUILD/lib/libcudadvise_injection.so" \
	    CUDADVISE_SPOOL="$T/spool" "$target" --kernels 20 --signatures 1
	"$bin/cudadvise" import spool/*.spool >/dev/null
	export_run 1
	[ "$(of '.sites | length')" -gt 0 ] || fail "no sites"
	same "frames of the target with a line" "$(of '[.sites[].frames[] |
	    select(.module == "mock-target" and .line != null)] | length')" 0
}

@test "none at the level of a trace, or when they are turned off" {
	options="--level trace"
	measure --kernels 20 --signatures 2
	export_run 1
	same "sites of a trace" "$(of '.sites | length')" 0
	options=
	CUDADVISE_SITES=0 measure --kernels 20 --signatures 2
	export_run 2
	same "sites when turned off" "$(of '.sites | length')" 0
}

@test "Python frames, where the interpreter tells them" {
	[ -z "${E2E_SANITIZE:-}" ] || skip "python3 has no sanitizer in it"
	command -v python3 >/dev/null || skip "no python3"
	python3 -c 'import ctypes, sys
sys.exit(not hasattr(ctypes.pythonapi, "_Py_DumpTraceback") and
    not hasattr(ctypes.pythonapi, "PyUnstable_DumpTraceback") and
    sys.version_info[1] not in (9, 10, 13, 14))' ||
	    skip "this Python does not"
	"$bin/cudadvise" run -- python3 "$BATS_TEST_DIRNAME/sites.py" \
	    "$CUDADVISE_CUPTI" >out 2>report || fail "the program failed"
	export_run 1
	same "the line" "$(of '.sites[] | select(.call == "launch") |
	    "\(.function) \(.file | sub(".*/"; "")) \(.line) \(.count)"')" \
	    "train_step sites.py $(grep -n 'LAUNCH' \
	    "$BATS_TEST_DIRNAME/sites.py" | head -n 1 | cut -d : -f 1) 2"
	same "who called it" "$(of '.sites[] | select(.call == "launch") |
	    [.frames[] | select(.python) | .function] | join(" ")')" \
	    "train_step epoch <module>"
}

# Skips without a Python whose threads can be looked at (injection/python_peek.h).
needs_looks() {
	[ -z "${E2E_SANITIZE:-}" ] || skip "python3 has no sanitizer in it"
	command -v python3 >/dev/null || skip "no python3"
	python3 -c 'import sys, sysconfig
sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12), (3, 13), (3, 14)) or
    bool(sysconfig.get_config_var("Py_GIL_DISABLED")))' ||
	    skip "this Python is not looked at"
}

# works [OPTION...]: measure a Python program that works most of the time.
works() {
	"$bin/cudadvise" run "$@" -- python3 "$BATS_TEST_DIRNAME/sites.py" \
	    "$CUDADVISE_CUPTI" 2 >out 2>report || fail "the program failed"
}

where_it_waits() {
	of '.findings.items[] | select(.rule == "gpu-idle-gaps") | .location |
	    "\(.launch_site | "\(.function) \(.line)"): \(.text)"'
}

@test "what a Python program is in while the GPU waits for it" {
	needs_looks
	works
	export_run 1
	line=$(grep -n 'PREPARES' "$BATS_TEST_DIRNAME/sites.py" | cut -d : -f 1)
	where_it_waits | grep -q "^prepare $line: .*, in which the host is " ||
	    fail "not where: $(where_it_waits)"
}

@test "it is not looked at when sites are turned off, or at the level of a trace" {
	needs_looks
	CUDADVISE_SITES=0 works
	export_run 1
	[ -n "$(where_it_waits)" ] || fail "no finding"
	where_it_waits | grep "in which the host is" && fail "looks when turned off"
	! grep -q "sites.py:" report || fail "a function when turned off"
	works --level trace
	export_run 2
	[ -n "$(where_it_waits)" ] || fail "no finding"
	where_it_waits | grep "in which the host is" && fail "looks of a trace"
	! grep -q "sites.py:" report || fail "a function of a trace"
}
