#!/usr/bin/env bash
#
# setup.sh: the one setup script. `./setup.sh help` says what it does.
# For Debian 12 and Ubuntu 24.04; on others install what `deps` names and go on.

set -u
cd "$(dirname "$0")" || exit 1
root=$PWD
jobs=$(nproc 2>/dev/null || echo 2)
logs=$root/build/log
passed=0
failed=0
unsteady=	# tests that failed beside others and passed alone
ahead=		# a build that has begun while tests run
quick=0
recorded=0
fuzz_seconds=4

# --- output --------------------------------------------------------------

say() { printf '%s\n' "$*"; }
note() { printf '   %s\n' "$*"; }

die() {
	printf 'setup.sh: %s\n' "$*" >&2
	exit 1
}

usage() {
	cat <<END
usage: ./setup.sh COMMAND [OPTION...]

  demo     build, then show a report: of a program run on this machine's GPU,
           or, without one, of a capture that was recorded on a GPU
  test     install what tests need, build, and run every test that needs no
           GPU: unit, replay, end to end, API, command line, page, lints,
           sanitizers, fuzzers
  build    build the programs into build/bin
  deps     install the packages that building and testing need
  help     this text

options of demo:
  --recorded     the recorded run even if there is a GPU
options of test:
  --quick        without sanitizers and fuzzers
  --fuzz SECONDS run each fuzzer that long (4)
options of all:
  --jobs N       build with N jobs (all processors)

Everything is built below $root; nothing but packages is installed.
END
}

# step TITLE LOG COMMAND...: run quietly; on failure show the end of the log.
step() {
	local title=$1 log=$logs/$2.log start=$SECONDS rc
	shift 2
	mkdir -p "$logs"
	printf '== %-52s ' "$title"
	"$@" >"$log" 2>&1 </dev/null
	rc=$?
	if [ $rc -eq 0 ]; then
		printf 'ok    %4d s\n' $((SECONDS - start))
		return 0
	fi
	printf 'FAILED %3d s\n' $((SECONDS - start))
	say "-- the last lines of $log:"
	tail -n 40 "$log" | sed 's/^/   /'
	return $rc
}

# --- packages ----------------------------------------------------------------

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		env DEBIAN_FRONTEND=noninteractive "$@"
	elif command -v sudo >/dev/null; then
		sudo env DEBIAN_FRONTEND=noninteractive "$@"
	else
		say "not root, and there is no sudo: run as root: $*"
		return 1
	fi
}

have_package() {
	dpkg-query -W -f '${Status}' "$1" 2>/dev/null |
	    grep -q 'install ok installed'
}

packages_build="build-essential cmake ninja-build pkg-config
	libmicrohttpd-dev libjansson-dev libzstd-dev libsqlite3-dev libdw-dev
	libcurl4-openssl-dev libinih-dev uthash-dev libxxhash-dev
	libsmartcols-dev libprotobuf-c-dev protobuf-c-compiler zlib1g-dev scdoc
	ca-certificates git"
packages_test="libcmocka-dev bats jq curl clang clang-format llvm tmux libxml2-utils sqlite3
	python3-protobuf python3-prometheus-client python3-junitparser"

# The given packages that are not installed, on one line.
missing_packages() {
	local p list=
	for p in "$@"; do
		have_package "$p" || list="$list $p"
	done
	echo $list
}

install_packages() {
	local list
	list=$(missing_packages "$@")
	[ -z "$list" ] && return 0
	if ! command -v apt-get >/dev/null; then
		say "no apt-get here; install these by hand: $list"
		return 1
	fi
	as_root apt-get -q update &&
	    as_root apt-get -q -y --no-install-recommends install $list
}

# clang's runtime is in a package named after clang's version.
install_clang_runtime() {
	local major
	major=$(clang -dumpversion 2>/dev/null | cut -d. -f1)
	[ -n "$major" ] && install_packages "libclang-rt-$major-dev"
}

# node need not come from the distribution: any node on the PATH is used as it is.
install_node() {
	local list=
	command -v node >/dev/null || list="nodejs"
	command -v npm >/dev/null || list="$list npm"
	[ -z "$list" ] || install_packages $list
}

browser() {
	local b
	for b in chromium-headless-shell chromium google-chrome; do
		command -v $b && return 0
	done
	return 1
}

# Ubuntu's chromium package only points to a snap, which containers lack.
install_browser() {
	browser >/dev/null && return 0
	apt-cache show chromium-headless-shell >/dev/null 2>&1 || return 0
	install_packages chromium-headless-shell
}

# The npm packages for the tests of the API and the page, in the locked versions.
install_node_modules() {
	(cd web && npm ci --ignore-scripts --no-audit --no-fund)
}

deps_build() {
	step "packages: building" deps-build install_packages $packages_build ||
	    die "cannot install what building needs"
}

deps_test() {
	deps_build
	step "packages: testing" deps-test install_packages $packages_test &&
	    step "packages: clang's runtime" deps-clang install_clang_runtime &&
	    step "packages: node" deps-node install_node &&
	    step "packages: headless Chromium" deps-browser install_browser &&
	    step "packages: the page's tests" deps-npm install_node_modules ||
	    die "cannot install what testing needs"
	browser >/dev/null || note \
	    "no Chromium package here: the page is built, its test is left out"
}

# --- building ---------------------------------------------------------------

# configure PRESET [CMAKE OPTION...]
configure() {
	local preset=$1
	shift
	cmake --preset "$preset" "$@"
}

# build_default [TARGET]
build_default() {
	local usual=
	# (Without a GPU, test builds the kernels for one architecture.)
	have_gpu && usual="-UCUDADVISE_CUDA_ARCHITECTURES"
	step "configure" configure configure default -DBUILD_TESTING=OFF $usual &&
	    step "build" build cmake --build build -j "$jobs" \
	    --target "${1:-all}" || die "the build failed"
	grep -q 'No CUDA toolkit' "$logs/configure.log" && note \
	    "no CUDA toolkit: the injection library and the kernels are left out"
	return 0
}

# --- demo ------------------------------------------------------------------

have_gpu() {
	[ $recorded -eq 0 ] && nvidia-smi -L >/dev/null 2>&1
}

can_measure() {
	have_gpu && [ -f build/lib/libcudadvise_injection.so ] &&
	    [ -x build/bin/cudadvise-kernels ]
}

# Stops a daemon that another build has started: it would answer with that build's
# rules. Programs that it measures spool their records until the next daemon reads them.
stop_other_daemon() {
	local pid
	pid=$(build/bin/cudadvise daemon status --json 2>/dev/null |
	    sed -n 's/^ *"pid": \([0-9]*\),$/\1/p')
	[ -n "$pid" ] || return 0
	[ "$(readlink "/proc/$pid/exe")" != "$root/build/bin/cudadvised" ] ||
	    return 0
	say "A daemon of another build runs: it is stopped, this build's answers."
	build/bin/cudadvise daemon stop
}

# Shows a run in which everything was recorded, lines and samples too; the same
# program after the change; and a program whose report ranks several findings.
demo_recorded() {
	local captures=tests/captures
	local pair=$captures/pairs/uncoalesced-global-access
	say "No GPU that can be measured here: these are runs that were" \
	    "recorded on one."
	build/bin/cudadvise import -q "$captures/programs/layernorm.cadv" \
	    "$pair.good.cadv" || return 1
	say "\$ build/bin/cudadvise import --print $pair.bad.cadv"
	build/bin/cudadvise import --print "$pair.bad.cadv" || return 1
	say
	say "Imported, too: the same program after the change, and layernorm" \
	    "of llm.c."
}

# Builds the reference kernels, which take most of the build's time, only if
# they can run here.
demo() {
	local program="build/bin/cudadvise-kernels" target=programs
	deps_build
	have_gpu && target=all
	build_default $target
	stop_other_daemon || return 1
	say
	if can_measure; then
		say "\$ build/bin/cudadvise run -- $program" \
		    "uncoalesced-global-access --variant bad"
		build/bin/cudadvise run --label demo -- "$program" \
		    uncoalesced-global-access --variant bad || return 1
	else
		demo_recorded || return 1
	fi
	say
	say "  build/bin/cudadvise run ./your-program   measure your own"
	say "  build/bin/cudadvise doctor               what measuring needs"
	say "  build/bin/cudadvise daemon stop          stop the daemon"
	say "  cmake --install build                    with manual and completion"
	say
	say "The same in the browser:"
	build/bin/cudadvise dashboard
}

# --- tests ----------------------------------------------------------------

# count_ctest LOG: print ctest's closing line, and add its numbers to the totals.
count_ctest() {
	local line bad all
	line=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests? failed out of' \
	    "$logs/$1.log" | tail -n 1)
	if [ -z "$line" ]; then
		failed=$((failed + 1))
		return
	fi
	note "$line"
	bad=$(echo "$line" | sed -E 's/.*passed, ([0-9]+) .*/\1/')
	all=$(echo "$line" | sed -E 's/.*out of ([0-9]+).*/\1/')
	passed=$((passed + all - bad))
	failed=$((failed + bad))
	sed -nE 's/^\t +[0-9]+ - ([^ ]+) \((Skipped|Disabled)\)$/   left out: \1/p' \
	    "$logs/$1.log"
}

# Runs a command without address space randomisation: it could place mappings where
# sanitizers want their shadow memory.
fixed_addresses() {
	if setarch "$(uname -m)" -R true 2>/dev/null; then
		setarch "$(uname -m)" -R "$@"
	else
		"$@"
	fi
}

# failed_output LOG: the output of each failed test in a ctest log, without the
# lines of parts that passed: 40 lines a test at most.
failed_output() {
	awk '/^ *[0-9]+\/[0-9]+ Test +#|^ +Start +[0-9]+:|% tests passed,/ { n = 0 }
	    /\*\*\*(Failed|Timeout|Exception|Not Run)/ { n = 41 }
	    n > 0 && !/^ok / { n--; print "   " $0 }' "$logs/$1.log"
}

# run_ctest TITLE LOG DIRECTORY [CTEST OPTION...]: run ctest with four slots for each
# processor. A test that computes takes three slots (PROCESSORS in CMakeLists.txt). An
# end-to-end test, which waits most of its time, takes one, or two with
# AddressSanitizer. Failed tests run once more, one at a time: a test that then passes
# failed because the machine was too busy, and is listed as unsteady at the end.
run_ctest() {
	local title=$1 log=$2 dir=$3 before=$failed n
	shift 3
	if step "$title" "$log" fixed_addresses ctest --test-dir "$dir" \
	    --output-on-failure --no-tests=error -j $((4 * jobs)) "$@"; then
		count_ctest "$log"
		return
	fi
	count_ctest "$log"
	failed_output "$log"
	grep -q 'The following tests FAILED' "$logs/$log.log" || return
	step "the failed ones again, one at a time" "$log-again" fixed_addresses \
	    ctest --test-dir "$dir" --rerun-failed --output-on-failure || return
	n=$((failed - before))
	passed=$((passed + n))
	failed=$before
	unsteady="$unsteady $(sed -n '/The following tests FAILED/,$p' \
	    "$logs/$log.log" | sed -nE 's/^[\t ]+[0-9]+ - ([^ ]+) .*/\1/p' | xargs)"
}

# run_sanitized: run_ctest, which also fails if a sanitizer reported anything:
# nothing checks a daemon's exit status, and its output goes to its log.
run_sanitized() {
	local reports=$root/$3/reports
	rm -rf "$reports"
	mkdir -p "$reports"
	ASAN_OPTIONS=log_path=$reports/report \
	UBSAN_OPTIONS=log_path=$reports/report:print_stacktrace=1 \
	TSAN_OPTIONS=log_path=$reports/report:suppressions=$root/tests/tsan.supp \
	    run_ctest "$@"
	one "what the sanitizers said: nothing" "reports-$3" no_reports \
	    "$reports"
}

# (LeakSanitizer's remark that it could not suspend a thread is not a report.)
no_reports() {
	local file bad=0
	for file in "$1"/*; do
		grep -q -E 'ERROR: |WARNING: |SUMMARY: |runtime error' "$file" \
		    2>/dev/null || continue
		echo "$file:"
		cat "$file"
		bad=1
	done
	return $bad
}

# one TITLE LOG COMMAND...: a step that counts as one test.
one() {
	if step "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		return 1
	fi
}

# build_ahead PRESET DIRECTORY TARGET [CMAKE OPTION...]: begin to build what is tested
# next, while tests run: these leave a tenth of the processors' time, and only that is
# used. build_preset does the rest. A process group of its own, so that it can be ended.
build_ahead() {
	local preset=$1 dir=$2 target=$3 log=$logs/ahead-$1.log
	shift 3
	[ $quick -eq 0 ] && configure "$preset" -B "$dir" "$@" >"$log" 2>&1 || return
	set -m
	chrt --idle 0 ninja -C "$dir" -j "$jobs" "$target" >>"$log" 2>&1 </dev/null &
	set +m
	ahead=$!
	trap end_ahead EXIT
}

# The rest is built at the usual priority.
end_ahead() {
	[ -n "$ahead" ] || return
	kill -- "-$ahead" 2>/dev/null
	wait "$ahead" 2>/dev/null
	ahead=
}

# build_preset PRESET DIRECTORY TARGET [CMAKE OPTION...]: configure and build, quietly.
build_preset() {
	local preset=$1 dir=$2 target=$3
	shift 3
	end_ahead
	one "configure: $preset" "configure-$preset" \
	    configure "$preset" -B "$dir" "$@" &&
	    one "build: $preset" "build-$preset" \
	    cmake --build "$dir" -j "$jobs" --target "$target"
}

fuzz_all() {
	local line
	one "fuzzers: $fuzz_seconds s each" fuzz \
	    tests/fuzz/run.sh build-fuzz "$fuzz_seconds"
	grep -E '^fuzz_' "$logs/fuzz.log" | sed 's/^/   /'
}

# Runs the demo as on a machine without a GPU: it must print a report, and an
# address that answers. The test has a daemon and a state directory of its own;
# a copy of the daemon stands for another build.
try_demo() (
	local dir address rc=1
	dir=$(mktemp -d /tmp/cadv-demo-XXXXXX) || exit 1
	export CUDADVISE_RUNTIME_DIR=$dir/run CUDADVISE_STATE_DIR=$dir/state
	export CUDADVISE_CONFIG=$dir/cudadvised.conf
	: >"$CUDADVISE_CONFIG"
	./setup.sh build --jobs "$jobs" || exit 1
	cp -r build/bin "$dir/other"
	"$dir/other/cudadvise" daemon start -q
	if ./setup.sh demo --recorded --jobs "$jobs" >"$dir/said"; then
		address=$(grep -oE 'http://127\.0\.0\.1:[0-9]+/' "$dir/said")
		grep 'A daemon of another build runs' "$dir/said" &&
		    grep -E '^      uncoalesced_global_access.cu:[0-9]+  sum' "$dir/said" &&
		    tail -n 1 "$dir/said" | grep -F "$address" &&
		    curl -sf "$address" | grep -i '<title>' &&
		    cmake --install build --prefix "$dir/prefix" &&
		    "$dir/prefix/bin/cudadvise" version &&
		    [ -s "$dir/prefix/share/man/man1/cudadvise.1" ] && rc=0
	fi
	cat "$dir/said"
	build/bin/cudadvise daemon stop
	rm -rf "$dir"
	exit $rc
)

# Fails if tests wrote into the working tree: they may write only to build
# directories and temporary ones.
tree_clean() {
	git rev-parse --git-dir >/dev/null 2>&1 || return 0
	git status --porcelain --untracked-files=all >"$logs/tree-after"
	diff "$logs/tree-before" "$logs/tree-after"
}

test_all() {
	local start=$SECONDS no_kernels="-DCMAKE_CUDA_COMPILER=NOTFOUND" one_arch=
	mkdir -p "$logs"
	deps_test
	# Node was just installed: a test that does not find it fails instead of
	# being skipped.
	export CUDADVISE_NEED_NODE=1
	git status --porcelain --untracked-files=all >"$logs/tree-before" \
	    2>/dev/null
	# The demo and the tests share a build directory: what the demo builds,
	# with warnings as errors, the tests need too, and so it is built once. Where no
	# kernel can run, one architecture shows that they compile.
	have_gpu || one_arch="-DCUDADVISE_CUDA_ARCHITECTURES=90-real"
	one "configure: build" configure-build configure dev -B build $one_arch &&
	    one "build and demo, without a GPU" demo try_demo
	if build_preset dev build all -DBUILD_TESTING=ON; then
		build_ahead asan build-asan all $no_kernels
		run_ctest "tests" ctest-dev build -LE gpu
	fi
	if [ $quick -eq 0 ]; then
		if build_preset asan build-asan all $no_kernels; then
			build_ahead tsan build-tsan threaded $no_kernels
			run_sanitized "tests with AddressSanitizer and UBSan" \
			    ctest-asan build-asan -LE 'gpu|lint|web|plain'
		fi
		if build_preset tsan build-tsan threaded $no_kernels; then
			build_ahead fuzz build-fuzz fuzzers $no_kernels
			run_sanitized "threaded tests with ThreadSanitizer" \
			    ctest-tsan build-tsan -L thread
		fi
		build_preset fuzz build-fuzz fuzzers $no_kernels && fuzz_all
	fi
	one "the tests left no file behind" tree tree_clean
	say
	say "$((SECONDS - start)) s, logs in $logs"
	say "$passed passed, $failed failed${unsteady:+, unsteady:$unsteady}"
	[ "$failed" -eq 0 ]
}

# --- main -------------------------------------------------------------------

command=${1:-help}
[ $# -gt 0 ] && shift
while [ $# -gt 0 ]; do
	case $1 in
	--quick) quick=1 ;;
	--recorded) recorded=1 ;;
	--fuzz | --jobs)
		case ${2:-} in
		'' | *[!0-9]* | 0) die "$1 wants a number" ;;
		esac
		if [ "$1" = --fuzz ]; then fuzz_seconds=$2; else jobs=$2; fi
		shift ;;
	-h | --help) usage; exit 0 ;;
	*) die "unknown option: $1 (./setup.sh help)" ;;
	esac
	shift
done

case $command in
demo) demo ;;
test) test_all ;;
build) deps_build; build_default ;;
deps) deps_test ;;
help | -h | --help) usage ;;
*) die "unknown command: $command (./setup.sh help)" ;;
esac
