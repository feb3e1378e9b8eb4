# Programs that are no easy hosts (tests/mock/rude.c): they do to their process what
# programs do, and find it as they made it.

load common

# rude WHAT: that program under cudadvise.
rude() {
	"$bin/cudadvise" run $options -- "$bin/mock-rude" "$@" >out 2>report
}

@test "a program that closes all descriptors keeps its own files as they are" {
	for options in "--level trace" "" "--no-daemon -o $T/c.cadv"; do
		rude files || fail "exit code $?"
		grep -q "^exact" out || fail "$(cat out)"
		case $options in
		--no*) load "$T/c.cadv" ;;
		*) load ;;
		esac
		has_launches 4400 8
	done
}
