# Which injection library measures a process: for a driver or a program with CUDA 12.

load common

# A copy of the installation with only the library of CUDA 13.
alone() {
	mkdir -p "$T/x/bin" "$T/x/lib"
	ln -s "$bin"/cudadvise* "$T/x/bin/"
	rm "$T/x/bin/cudadvise"
	cp "$bin/cudadvise" "$T/x/bin/"
	cp "$E2E_BUILD/lib/libcudadvise_injection.so" "$T/x/lib/"
	bin=$T/x/bin
	export MOCK_SIBLING=$T/called
}

with_sibling() {
	alone
	cp "$E2E_BUILD/lib/libmock_sibling.so" \
	    "$T/x/lib/libcudadvise_injection-12.so"
}

# called WANT: which functions of the sibling library were called.
called() {
	same "called" "$(tr '\n' ' ' <"$T/called" 2>/dev/null)" "$1"
}

@test "a program that brings CUPTI 12 is handed to the library of CUDA 12" {
	with_sibling
	MOCK_CUPTI=24 measure --kernels 10 --stdout "as ever" --exit-code 3 ||
	    got=$?
	same "exit code" "$got" 3
	same "output" "$(cat out)" "as ever"
	called "injection "
}

@test "a driver of CUDA 12 is handed to it where no CUPTI is there yet" {
	with_sibling
	unset CUDADVISE_CUPTI
	MOCK_DRIVER=12040 measure --kernels 10
	called "injection "
}

@test "a process with CUPTI 13 is measured by the library of CUDA 13" {
	with_sibling
	measure --kernels 10
	called ""
	load
	same "launches" "$(of .run.launches)" 10
}

# refused TEXT: runs a program that no library can measure; the report must
# contain TEXT.
refused() {
	options="--no-daemon -o $T/c.cadv"
	measure --kernels 10 --stdout "as ever" --exit-code 3 || got=$?
	same "exit code" "$got" 3
	same "output" "$(cat out)" "as ever"
	load "$T/c.cadv"
	of '.diagnostics[].text' | grep -qF "$1" ||
	    fail "not said: $1 in $(of .diagnostics)"
	same "without a remedy" "$(of '[.diagnostics[] | select(
	    .severity != "info" and (.remedy // "") == "")] | length')" 0
}

@test "without that library: the program runs, the report says why" {
	alone
	MOCK_CUPTI=28 MOCK_TRACE=$T/calls refused \
	    "the program brings CUPTI of CUDA 12"
	same "CUPTI was used for" "$(sort -u calls | grep '^cupti' |
	    tr '\n' ' ')" "cuptiGetVersion "
	unset CUDADVISE_CUPTI
	MOCK_DRIVER=12080 refused \
	    "the driver serves CUDA 12.8: cudadvise was built for CUDA 13"
	MOCK_DRIVER=11080 refused "the driver serves CUDA 11.8"
}

@test "a library of CUDA 12 that cannot be opened is reported" {
	alone
	echo nonsense >"$T/x/lib/libcudadvise_injection-12.so"
	MOCK_CUPTI=24 refused "the library for CUDA 12 cannot be opened"
}

# says CHECK LEVEL TEXT: doctor must report this, and a remedy for trouble.
says() {
	"$bin/cudadvise" doctor --json >doctor.json || true
	same "$1" "$(jq -r --arg name "$1" --arg text "$3" '.items[] |
	    select(.name == $name) | .level + (if (.text | contains($text)) and
	    (.level == "ok" or .remedy != null) then "" else ": " + .text end
	    )' doctor.json)" "$2"
}

@test "doctor says which libraries there are and what the driver can serve" {
	alone
	export MOCK_DRIVER=13000 CUDA_HOME=$T/cuda
	says injection ok "this driver, of CUDA 13.0, gets that of CUDA 13"
	MOCK_DRIVER=12040
	says injection fail "the driver serves CUDA 12.4: cudadvise was built"
	says CUPTI warn "no injection library suits"
	jq -r '.items[].remedy' doctor.json | grep -q CUDADVISE_TOOLKITS ||
	    fail "no remedy: $(cat doctor.json)"
	cp "$E2E_BUILD/lib/libmock_sibling.so" \
	    "$T/x/lib/libcudadvise_injection-12.so"
	says injection ok "this driver, of CUDA 12.4, gets that of CUDA 12"
	mkdir -p "$T/cuda/lib64"
	cp "$E2E_BUILD/lib/libmock_cupti.so" "$T/cuda/lib64/libcupti.so.12"
	MOCK_CUPTI=24 says CUPTI ok \
	    "CUDA 12: $T/cuda/lib64/libcupti.so.12 (API version 24)"
}
