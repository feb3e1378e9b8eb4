#!/usr/bin/env bats
# `cudadvise annotate` on the invented run of make_capture: a kernel with line
# tables, source and instructions, and one without. UPDATE_GOLDEN=1 writes
# annotate/NAME.txt: check the difference then.

load common

# The invented run, and the same run measured by line. (make_capture of
# common.bash records a run of a program without CUDA.)
plain() {
	"$BIN/make_capture" "$1"
}

made() {
	"$BIN/make_capture" "$1" --source
}

# Removes the findings, which the tests of the rules cover: only the source and
# its numbers remain.
without_findings() {
	awk '/^Of the whole kernel/ { skip = 1 } /^$/ { skip = 0 }
	    { match($0, /^ */) }
	    note && RLENGTH >= 40 && !/inlined:/ { next }
	    { note = /^ +\^ [0-9]+ / }
	    !skip && !note'
}

golden() {
	local want=$SOURCE/tests/cli/annotate/$1.txt

	without_findings > out
	[ -z "${UPDATE_GOLDEN-}" ] || cp out "$want"
	diff -u "$want" out
}

@test "annotate: the lines that matter, with what is inlined" {
	made x.cadv
	cudadvise annotate -r x.cadv softmax | golden lines
}

@test "annotate --all --sass: every line with its instructions" {
	made x.cadv
	cudadvise annotate -r x.cadv --all --sass softmax | golden sass
}

@test "annotate: findings stand below their lines" {
	made x.cadv
	run cudadvise annotate x.cadv
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "softmax_forward_kernel1("* ]]
	[[ "$output" == *"launched from train.cu:57 in softmax_forward()"* ]]
	[[ "$output" == *"sum += row[i * 4 + k];"*"^ "* ]]
	title=$(cudadvise findings --json x.cadv | jq -r '[.items[] |
	    select(.hot_lines[0].file != null)][0].title')
	[[ "$output" == *"$title"* ]]
}

@test "annotate: without line tables instructions, and the flag to add" {
	made x.cadv
	run cudadvise annotate -r x.cadv gemm
	[ "$status" -eq 0 ]
	[[ "$output" == *"no lines: "*"-lineinfo"* ]]
	[[ "$output" == *"no instructions: "* ]]
	[[ "$output" == *"41 %      math 8.76k  0120"* ]]
}

@test "annotate: a file that was not captured gives the reason" {
	made x.cadv
	run cudadvise annotate -r x.cadv --all softmax
	[[ "$output" == *"mean.cuh"*"no source text: "* ]]
}

@test "annotate: a kernel not measured by line says how to measure it" {
	plain x.cadv
	run cudadvise annotate -r x.cadv softmax
	[ "$status" -eq 0 ]
	[[ "$output" == *"not counted: needs --level auto"* ]]
	[ "$(grep -c -- '--level auto' <<< "$output")" -eq 1 ]
}

@test "annotate: a kernel by id, name and part of a name" {
	made x.cadv
	by_part=$(cudadvise annotate -r x.cadv softm)
	[ "$by_part" = "$(cudadvise annotate -r x.cadv 1)" ]
	[ "$by_part" = "$(cudadvise annotate -r x.cadv \
	    softmax_forward_kernel1)" ]
	run cudadvise annotate -r x.cadv nosuch
	[ "$status" -eq 1 ]
	[[ "$output" == *"no kernel 'nosuch'"*"cudadvise kernels"* ]]
	run cudadvise annotate -r x.cadv 999
	[ "$status" -eq 1 ]
	run cudadvise annotate -r x.cadv e
	[ "$status" -eq 1 ]
	[[ "$output" == *"part of the names"* ]]
	make_capture none.cadv
	run cudadvise annotate none.cadv
	[ "$status" -eq 1 ]
	[[ "$output" == *"launched no kernel"* ]]
}

@test "annotate --line: only the lines around it" {
	made x.cadv
	run cudadvise annotate -r x.cadv --line softmax.cu:12 softmax
	[ "$status" -eq 0 ]
	[[ "$output" == *"out[i] = mean("* ]]
	[[ "$output" != *"sum += row"* ]]
	run cudadvise annotate -r x.cadv --line softmax.cu:1 softmax
	[ "$status" -eq 1 ]
	[[ "$output" == *"no code at softmax.cu:1"* ]]
	for line in softmax.cu :5 softmax.cu:0 softmax.cu:x; do
		run cudadvise annotate -r x.cadv --line "$line" softmax
		[ "$status" -eq 2 ]
	done
}

@test "annotate --json: the document of the API" {
	made x.cadv
	cudadvise annotate --json -r x.cadv softmax > doc
	jq -e '.schema_version == 1 and .has_lines and
	    (has("instructions") | not) and (.lines | length) > 5' doc
	cudadvise annotate --json --sass -r x.cadv softmax |
	    jq -e '(.instructions | length) > 30 and
	    .instructions[0].text != null'
	cudadvise import -q x.cadv
	cudadvise annotate --json softmax | diff doc -
	cudadvise annotate -r x.cadv --sass softmax | sed 1,3d > a
	cudadvise annotate --sass softmax | sed 1,3d > b
	diff a b
}

@test "annotate: text from the target cannot control the terminal" {
	made x.cadv
	for kernel in $(cudadvise kernels --json x.cadv | jq '.items[].id'); do
		run cudadvise annotate -r x.cadv --all --sass "$kernel"
		[ "$status" -eq 0 ]
		[[ "$output" != *$'\033'* ]]
	done
	run cudadvise annotate -r x.cadv --color always softmax
	[[ "$output" == *$'\033[31m'* ]]
	LC_ALL=C run cudadvise annotate -r x.cadv softmax
	[ -z "$(LC_ALL=C grep -P '[^\x00-\x7f]' <<< "$output")" ]
}

@test "the report names lines and launch sites" {
	made x.cadv
	run cudadvise show -v x.cadv
	[[ "$output" == *"by line: 2 of 4 kernels counted"* ]]
	[[ "$output" == *"cudadvise annotate --run x.cadv"* ]]
	cudadvise findings --all x.cadv > out
	grep -q "^ *rows.cuh:8  " out
	# The words, independent of line breaks.
	tr -s ' \n' '  ' < out > words
	grep -q "from train.cu:57 in softmax_forward()" words
	# The reason why a kernel has no lines is given once.
	[ "$(grep -o "rebuild with nvcc -lineinfo" words | wc -l)" -le 1 ]
}
