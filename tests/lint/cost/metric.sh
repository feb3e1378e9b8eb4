# A metric: a counter that rules may read.
name=lts__t_requests_op_example.sum

add() {
	row daemon/model/metric.def \
	    "METRIC(EXAMPLE, \"$name\", \"request\", \"L2 requests\")"
	within config/metrics/counters.metrics issue "$name"
}

works() {
	local said
	said=$(cc -fsyntax-only -std=c11 -Wall -Wextra -Werror -D_GNU_SOURCE \
	    -I daemon -I injection daemon/model/metric.c 2>&1) || fail "$said"
	[[ $(cc -E -P -I daemon -I injection daemon/model/metric.c) == *"$name"* ]] ||
	    fail "the model does not know it"
	[ ! -x "$build/bin/check-metrics" ] || list_has_it
}

# Links check-metrics with the copy's table: the name must stand under a
# heading. (Without CUPTI, which does not know the counter anyway, it only
# checks the names and ends with 77.)
list_has_it() {
	local source object link said objects=
	link=$(ninja -C "$build" -t commands bin/check-metrics | tail -n 1)
	for source in tests/lint/check_metrics.c daemon/model/metric.c; do
		object=$scratch/$(basename "$source").o
		as_built "$source" "$object"
		objects+="$object "
	done
	mkdir -p "$scratch/bin"
	link=${link/-o bin\/check-metrics/-o "$scratch/bin/check-metrics"}
	link=${link/ tests\/lint\/*check_metrics.c.o/ $objects}
	(cd "$build" && eval "$link") || fail "check-metrics does not link"
	said=$(CUDADVISE_CUPTI=/nonexistent "$scratch/bin/check-metrics" \
	    config/metrics 2>&1)
	[ $? -eq 77 ] || fail "$said"
}

# as_built SOURCE OBJECT: compile the copy's SOURCE with BUILD's flags.
as_built() {
	local command
	command=$(jq -r --arg file "$repo/$1" \
	    '[.[] | select(.file == $file).command][0]' \
	    "$build/compile_commands.json" | sed "s| -o [^ ]*| -o $2|")
	eval "${command//"$repo/"/"$PWD/"}" || fail "$1 does not compile"
}
