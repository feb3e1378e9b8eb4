/*
 * rules/evidence/inputs.c: see inputs.h.
 */
#include "rules/evidence/framework.h"
#include "rules/evidence/inputs.h"
#include "rules/evidence/lines.h"

#define INPUTS_BEHIND 0.9	/* arithmetic: eight elements that one line copies one after the
				 * other (BATCH_COPIES in model/away.c) have seven behind
				 * another: 0.875 */
#define WITHIN 0.5		/* of a kernel's launches; arithmetic: most */
#define COPIES (CALL_BIT(MEMCPY) | CALL_BIT(MEMCPY_ASYNC))

bool
inputs_within(const struct site *s)
{
	return lines_feeds(s) && framework_within(s);
}

bool
inputs_behind(const struct site *s)
{
	return lines_feeds(s) && !framework_within(s) && !framework_loads(s) &&
	    s->behind_ns >= INPUTS_BEHIND * s->idle_ns;
}

/* Are most launches of kernel ${id} made within calls of modules? */
static bool
is_module_kernel(const struct run *run, uint32_t id)
{
	double all = 0, within = 0;
	size_t end, i = site_launches(run->site, run->sites, id, &end);

	for (; id != 0 && i < end; i++) {
		const struct site *s = &run->site[i];

		if (s->call != CALL_LAUNCH || s->kernel != id)
			continue;
		all += (double)s->count;
		within += framework_calls_module(s) ? (double)s->count : 0;
	}
	return all > 0 && within > WITHIN * all;
}

struct inputs
inputs_of(const struct run *run)
{
	struct inputs in = { .s = 0 };

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];
		double idle = s->idle_ns * 1e-9;

		if (s->call >= 64 || !(COPIES >> s->call & 1) || !lines_feeds(s))
			continue;
		in.outside += !framework_calls_module(s) ? (double)s->count : 0;
		if (!(idle > 0))
			continue;
		in.s += idle;
		if (framework_within(s) && is_module_kernel(run, s->after))
			in.within_s += idle;
		else if (inputs_behind(s))
			in.behind_s += idle;
	}
	return in;
}
