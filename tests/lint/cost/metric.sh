# A metric: a counter that rules may read.
name=lts__t_requests_op_example.sum

add() {
	row daemon/model/metric.def \
	    "METRIC(EXAMPLE, \"$name\", \"request\", \"L2 requests\")"
	row config/metrics/counters.metrics "$name"
}

works() {
	local said
	said=$(cc -fsyntax-only -std=c11 -Wall -Wextra -Werror -D_GNU_SOURCE \
	    -I daemon -I injection daemon/model/metric.c 2>&1) || fail "$said"
	[[ $(cc -E -P -I daemon -I injection daemon/model/metric.c) == *"$name"* ]] ||
	    fail "the model does not know it"
}
