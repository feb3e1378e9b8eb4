# code.bash: checks a kernel's code, for the tests of the source tier. The mock's
# kernel0 to kernel7 have code (tests/mock/kernels.cu), the others do not.

# source_of KERNEL [OPTION…]: write the kernel's annotated source to code.json.
source_of() {
	"$bin/cudadvise" annotate --json --sass "$@" >code.json
}

code() {
	jq -r "$1" code.json
}

# counted METRIC NAME KERNEL: each instruction's count must be the device's.
counted() {
	"$target" --sass "$1" "$3" | awk '$2 > 0' >want
	jq -r ".instructions[] | select(.values.$2 > 0) |
	    \"\(.pc) \(.values.$2)\"" code.json >got
	[ "$2" != inst ] || [ -s want ] || fail "no instruction counted"
	diff want got || fail "kernel$3: $1"
}

# Makes own.cubin, with its sources in this directory, whose path is as long as
# the original's.
own_cubin() {
	cp "$BATS_TEST_DIRNAME"/../mock/{kernels.cu,index.cuh,sums.cuh} "$T"
	LC_ALL=C sed "s#/opt/example/kernels#$T#g" \
	    "$BATS_TEST_DIRNAME/../mock/kernels.cubin" >"$T/own.cubin"
	same "length" "$(stat -c %s "$T/own.cubin")" \
	    "$(stat -c %s "$BATS_TEST_DIRNAME/../mock/kernels.cubin")"
	export MOCK_CUBIN=$T/own.cubin
}
