# A chip: a GPU of a known compute capability with measured ceilings. (A GPU
# without measurements touches no file.)
gpu="Example L40"

add() {
	jq --arg gpu "$gpu" '.gpu = $gpu | .cc_major = 8 | .cc_minor = 9 |
	    .sms = 142' config/chips/nvidia-h200.json \
	    >config/chips/example-l40.json
}

works() {
	program cudadvise daemon/model/shipped.c
	grep -q "$gpu" "$scratch/bin/cudadvise" ||
	    fail "its ceilings are not in the program"
}
