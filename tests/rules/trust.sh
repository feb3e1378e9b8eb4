#!/usr/bin/env bash
#
# trust.sh BUILD REPOSITORY: tests how tests/gpu/trust.sh judges, without a GPU:
# recordings written by hand must get the expected verdicts, our own pairs must meet
# the design's bars, and running is tested with shell scripts in place of programs.
# UPDATE_GOLDEN=1 writes trust/expected.txt anew. Exit status 77 without python3.

set -u
build=$1
repo=$2
cli=$build/bin/cudadvise
gpu=$repo/tests/gpu
made=$repo/tests/rules/trust
command -v python3 >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export CUDADVISE_RUNTIME_DIR=$work/run CUDADVISE_STATE_DIR=$work/state
export CUDADVISE_CONFIG=$work/cudadvised.conf PYTHONDONTWRITEBYTECODE=1
: >"$CUDADVISE_CONFIG"
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

# --- verdicts on recordings ------------------------------------------------

"$gpu/trust.sh" --judge "$made/recorded" "$made/cases.tsv" >"$work/got" ||
    fail "trust.sh --judge"
[ -z "${UPDATE_GOLDEN:-}" ] || cp "$work/got" "$made/expected.txt"
diff -u "$made/expected.txt" "$work/got" || fail "the judgement differs"
python3 "$gpu/trust.py" judge --bars "$made/cases.tsv" "$made/recorded" |
    grep -q '^FAIL: a bar is missed$' || fail "no bar is missed"
python3 "$gpu/trust.py" judge --bars --only copies "$made/cases.tsv" \
    "$made/recorded" >/dev/null || fail "a bar is missed where all is well"
python3 "$gpu/trust.py" judge "$made/cases.tsv" "$work" >/dev/null
[ $? -eq 77 ] || fail "nothing is judged, and it does not say so"

# The published figures, for seen and for sealed programs: of sealed ones
# nothing but the figures, and those only on request.
fresh() {
	python3 "$gpu/trust.py" judge "$@" "$made/fresh.tsv" "$made/recorded"
}
fresh --sealed >"$work/fresh" || fail "trust.py judge --sealed"
[ -z "${UPDATE_GOLDEN:-}" ] || cp "$work/fresh" "$made/fresh.txt"
diff -u "$made/fresh.txt" "$work/fresh" || fail "the figures differ"
grep -q 'steps_\|copies_' "$work/fresh" && fail "a sealed program is named"
fresh | grep -q '^sealed' && fail "sealed programs are judged unasked"

# The capture as it would be without permission for counters.
mkdir "$work/held"
ln -s "$repo/tests/captures/pairs/tail-effect.bad.cadv" "$work/held/tail.cadv"
printf 'tail\there\t\t\t1\thost\t\tbefore\t\t\ttail-effect\n' >"$work/tail.tsv"
for what in permission all; do
	python3 "$gpu/trust.py" judge --reader \
	    "$build/bin/rules-withheld $what" "$work/tail.tsv" "$work/held" \
	    >"$work/held.$what" || fail "trust.py judge --reader, $what"
done
grep -q '^tail.*before.*[a-z]-[a-z]' "$work/held.permission" ||
    fail "nothing is said without permission: $(<"$work/held.permission")"
grep -q '^tail.*MISSED *| - ' "$work/held.all" ||
    fail "something is said of nothing: $(<"$work/held.all")"

# --- our own pairs -------------------------------------------------------------

python3 "$gpu/trust.py" pairs --cli "$cli" --bars \
    "$repo/tests/captures/pairs" >"$work/pairs" ||
    { cat "$work/pairs"; fail "our own pairs miss a bar"; }

# Each code must have a rule; a rule that is named must exist or be listed as to come.
"$cli" rules --json | jq -r '.items[].id' >"$work/rules"
sed -n 's/^# To come: //p' "$gpu/trust_codes.tsv" | tr ' ' '\n' \
    >>"$work/rules"
grep -v '^#' "$gpu/trust_codes.tsv" | cut -f3 | tr ' ' '\n' | sort -u |
    grep -v -x -e - -F -f "$work/rules" >"$work/unknown" &&
    fail "trust_codes.tsv names rules that nobody has:" $(<"$work/unknown")

# --- running programs -------------------------------------------------------------

# A fake cudadvise: it delivers a committed capture for whatever program it runs.
fake=$work/build
mkdir -p "$fake/bin/gpu" "$work/programs"
cat >"$fake/bin/cudadvise" <<END
#!/bin/bash
[ "\$1" = run ] || exec "$cli" "\$@"
while [ "\$1" != -- ]; do
	[ "\$1" != -o ] || cp "$repo/tests/captures/pairs/tail-effect.bad.cadv" "\$2"
	shift
done
shift
"\$@"
END
printf '#!/bin/sh\n' >"$fake/bin/gpu/launch_loop"
printf '#!/bin/sh\necho "$PWD $A $*"\n' >"$work/programs/sum_slow"
printf '#!/bin/sh\nexit 3\n' >"$work/programs/sum_fast"
printf '#!/bin/sh\nexec sleep 60\n' >"$work/programs/cold"
chmod +x "$fake"/bin/cudadvise "$fake/bin/gpu/launch_loop" \
    "$work"/programs/*

run() {
	"$gpu/trust.sh" "$fake" "$work/out" "$made/cases.tsv" \
	    "$work/programs" --skip-ncu "$@" >"$work/said" 2>&1
}

run --only sum_slow,cold --limit 1 || fail "running: $(<"$work/said")"
[ "$(cut -f1,2 "$work/out/measured.tsv" | tr '\t\n' ' ,')" = \
    "sum_slow ok,sum_fast exit 3,cold timeout,cold_fixed no program," ] ||
    fail "measured.tsv: $(<"$work/out/measured.tsv")"
[ "$(<"$work/out/sum_slow.out")" = "$work/programs b 1 2" ] ||
    fail "folder, environment, arguments: $(<"$work/out/sum_slow.out")"
[ -s "$work/out/sum_slow.json" ] && [ -s "$work/out/trust.txt" ] ||
    fail "no findings, or no judgement"
# A finished program is not run again; a failed one is; without time left none is.
printf '#!/bin/sh\n' >"$work/programs/sum_fast"
rm "$work/programs/sum_slow"
run --only sum_slow || fail "running again: $(<"$work/said")"
[ "$(grep -c '^sum_slow' "$work/out/measured.tsv")" -eq 1 ] &&
    grep -q "^sum_fast"$'\t'"ok" "$work/out/measured.tsv" ||
    fail "measured.tsv, again: $(<"$work/out/measured.tsv")"
run --seconds 0 --only copies,cold
grep -q '^the time is over' "$work/said" || fail "--seconds: $(<"$work/said")"

# --- the programs of the corpus ------------------------------------------------

python3 "$gpu/corpus/corpus.py" "$work/corpus" --lists ||
    fail "the lists of the corpus"
python3 - "$gpu" "$work/corpus" <<'END' || fail "the corpus is not whole"
import os, sys
sys.path[:0] = [sys.argv[1], os.path.join(sys.argv[1], "corpus")]
import corpus, trust_case
here = {f["family"]: f for f in corpus.read_families(corpus.HERE + "/seen")}
away = {f["family"]: f for f in corpus.read_families(sys.argv[2] + "/sealed")}
codes, cases = trust_case.read_codes(), trust_case.read_cases(sys.argv[2] + "/all.tsv")
splits = [{corpus.split_of(f) for f in half.values()} for half in (here, away)]
# Between two sets none is sealed but Python programs.
assert splits == [{"seen"}, {"sealed"} if away else set()]
assert not set(here) & set(away)
for f in (*here.values(), *away.values()):
    assert os.path.isfile(f"{f['folder']}/{f['family']}.cu"), f["family"]
    assert len(f) == len(corpus.FIELDS) + 1 and f["claim"], f["family"]
cases += [c for c in trust_case.read_cases(sys.argv[2] + "/python.tsv")
          if c["counterpart"]]
assert {c["counterpart"] for c in cases} == {c["id"] for c in cases}
assert len([c for c in cases if c["split"] == "sealed"]) >= (2 * 20 if away else 2 * 5)
assert all(code in codes for c in cases for code in c["codes"])
# Sound families need no code.
without = [c for c in cases if c["role"] == "before" and not c["codes"]]
assert len(without) <= (len(here) + len(away)) / 6, without
END
exit $failed
