#!/usr/bin/env bats
# `cudadvise calibrate`, and the first run on an unknown GPU, with stand-ins for
# the reference kernels.

load common
bats_require_minimum_version 1.5.0

# A copy of the command beside a fake cudadvise-kernels.
fake_kernels() {
	mkdir bin
	cp "$BIN/cudadvise" bin/
	{ echo '#!/bin/sh'; cat; } > bin/cudadvise-kernels
	chmod +x bin/cudadvise-kernels
	export PATH="$PWD/bin:$PATH"
}

@test "calibrate --show without a calibration says so" {
	run cudadvise calibrate --show
	[ "$status" -eq 1 ]
	[[ "$output" == *"cudadvise calibrate"* ]]
}

@test "calibrate --report says how predictions held, and why some rules have none" {
	run cudadvise calibrate --report
	[ "$status" -eq 0 ]
	[[ "$output" == *"NVIDIA"*"uncoalesced-global-access"*"×"*"%"* ]]
	[[ "$output" == *"median error"* ]]
	[[ "$output" == *"device-memory-leak"*"not what that costs"* ]]
	# The report as shipped has every rule once.
	cudadvise calibrate --report --format json > report.json
	cudadvise rules --json | jq -r '.items[].id' | sort > rules
	jq -r '.items[].rule' report.json | sort | diff - rules
	jq -S '[.items[] | select(.why_not == null) |
	    del(.why_not)]' report.json > compared.json
	jq -S .pairs "$BATS_TEST_DIRNAME/../../config/predictions.json" |
	    diff - compared.json
	jq -e '.median_error_ratio <= 0.15' report.json
	jq -e 'all(.items[]; (.why_not == null) != (.predicted == null))' \
	    report.json
}

@test "calibrate stores each GPU's ceilings under its id, and shows them" {
	fake_kernels <<-'SCRIPT'
		[ "$1" = --calibrate ] || exit 9
		cat <<-'JSON'
		{"gpu": "NVIDIA H200", "uuid": "GPU-0A1b2c3d-0000-0000-0000-00000000000f", "date": "2026-01-01", "dram_bytes_per_s": 4.1e12, "launch_s": 2.1e-6}
		{"gpu": "NVIDIA H200", "uuid": "ffffffffffffffffffffffffffffffff", "date": "2026-01-01", "dram_bytes_per_s": 4.0e12}
		JSON
	SCRIPT
	make_capture without.cadv
	run cudadvise calibrate
	[ "$status" -eq 0 ]
	[[ "$output" == *"4.1 TB/s"* ]]
	[[ "$output" == *"2.1 µs"* ]]
	dir=$CUDADVISE_STATE_DIR/calibration
	[ -s "$dir/0a1b2c3d00000000000000000000000f.json" ]
	[ -s "$dir/ffffffffffffffffffffffffffffffff.json" ]
	cudadvise calibrate --show --json | jq -e '.items | length == 2'
	cudadvise doctor | grep -q '2 GPUs measured'
	# A run stores the ceilings in its capture, which becomes longer.
	make_capture with.cadv
	[ "$(stat -c %s with.cadv)" -gt \
	    "$(($(stat -c %s without.cadv) + 100))" ]
}

# gpu PLACE MODEL UUID: adds a GPU's file as the driver writes it.
gpu() {
	mkdir -p "gpus/$1"
	printf 'Model: \t\t %s\nIRQ:   \t\t 7\nGPU UUID: \t %s\n' "$2" "$3" \
	    > "gpus/$1/information"
}

@test "the first run on an unknown GPU measures its ceilings, once, and records them" {
	export CUDADVISE_GPUS=$PWD/gpus
	fake_kernels <<-'SCRIPT'
		echo run >> measured
		echo '{"gpu": "Some GPU", "uuid": "ffffffffffffffffffffffffffffffff", "date": "2026-01-01", "dram_bytes_per_s": 4.0e12}'
	SCRIPT
	# A GPU whose model's ceilings are shipped is not measured.
	gpu 0000:01:00.0 "NVIDIA H200" "GPU-0a1b2c3d-0000-0000-0000-00000000000f"
	cudadvise run -q --no-daemon -o known.cadv true
	[ ! -e measured ]
	cudadvise doctor | tr -s ' \n' ' ' | grep -q \
	    'what other GPUs of the model reach (NVIDIA H200)'
	gpu 0000:02:00.0 "Some GPU" "GPU-????????-????-????-????-????????????"
	cudadvise doctor | tr -s ' \n' ' ' | grep -q \
	    'until the first run measures it'
	# Level trace needs no ceilings.
	cudadvise run -q --level trace --no-daemon -o times.cadv true
	[ ! -e measured ]
	# While others use the GPU it is not measured: a later run does it.
	nvml=$BIN/../lib/mock-nvml
	[ ! -e "$nvml" ] || LD_LIBRARY_PATH=$nvml MOCK_NVML_PROCESSES=1 \
	    cudadvise run -q --no-daemon -o used.cadv true
	[ ! -e measured ]
	run -3 cudadvise run --no-daemon -o first.cadv sh -c 'exit 3'
	[[ "$output" == *"Some GPU was not known: what 1 GPU can do was"* ]]
	[ -s "$CUDADVISE_STATE_DIR/calibration/ffffffffffffffffffffffffffffffff.json" ]
	[ "$(stat -c %s first.cadv)" -gt "$(($(stat -c %s known.cadv) + 100))" ]
	cudadvise run -q --no-daemon -o second.cadv true
	[ "$(wc -l < measured)" -eq 1 ]
	# A GPU that was calibrated before is known.
	gpu 0000:03:00.0 "Some GPU" ffffffffffffffffffffffffffffffff
	cudadvise run -q --no-daemon -o third.cadv true
	[ "$(wc -l < measured)" -eq 1 ]
	# A failed calibration is reported once.
	echo 'exit 1' > bin/cudadvise-kernels
	gpu 0000:04:00.0 "Other GPU" ""
	run -0 cudadvise run --no-daemon -o x.cadv true
	[[ "$output" == *"Other GPU is not known, and what it can do could"* ]]
	run -0 cudadvise run --no-daemon -o x.cadv true
	[[ "$output" != *"Other GPU"* ]]
}

@test "calibrate refuses files that are no calibration" {
	fake_kernels <<-'SCRIPT'
		echo '{"uuid": "../../etc/passwd", "dram_bytes_per_s": 1}'
	SCRIPT
	run cudadvise calibrate
	[ "$status" -eq 1 ]
	[ -z "$(ls -A "$CUDADVISE_STATE_DIR/calibration" 2> /dev/null)" ]
	printf '#!/bin/sh\necho no GPU >&2; exit 1\n' > bin/cudadvise-kernels
	run cudadvise calibrate
	[ "$status" -eq 1 ]
	[[ "$output" == *"no GPU"* ]]
}
