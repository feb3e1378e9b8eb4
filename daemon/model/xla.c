/*
 * model/xla.c: what XLA compiled. It names each compilation in an NVTX range,
 * "XlaCompile:#module=jit_step#": the same name again is a recompilation, for other
 * shapes or types.
 *
 * A range is recorded when it ends, and a program that is killed ends none. A compilation
 * that it was in shows by the passes over the module, "XlaPass:#name=…,module=jit_step#"
 * (XLA, hlo_pass_pipeline.cc), which ended: no compilation that ended contains them.
 */
#include <string.h>

#include "model/internal.h"

static struct xla_module *
module_of(struct model *m, struct wire_str name)
{
	struct xla_module *x = m->xla;
	const char *text;
	uint32_t i;

	for (i = 0; i < m->xlas; i++)
		if (strlen(x[i].name) == name.len &&
		    memcmp(x[i].name, name.p, name.len) == 0)
			return &x[i];
	if (m->xlas == XLA_MODULES)
		return &x[m->xlas - 1];
	if ((text = pool_text(&m->pool, name)) == NULL)
		return NULL;
	x[m->xlas] = (struct xla_module){ .name = text };
	return &x[m->xlas++];
}

/* Is ${text} the name of a pass over a module? Then *${module} is its name. */
static bool
is_pass(const char *text, const char **module)
{
	static const char begin[] = "XlaPass", at[] = "module=";

	*module = strncmp(text, begin, sizeof(begin) - 1) == 0 ? strstr(text, at) : NULL;
	*module += *module != NULL ? sizeof(at) - 1 : 0;
	return *module != NULL;
}

/* A compilation of ${module} has begun by ${start}, and went on until ${now} at least. Passes
 * over others may be part of it: the first one's name counts. */
static int
begun(struct model *m, const char *module, uint64_t start, uint64_t now)
{
	struct xla_unfinished *u = &m->xla_begun;
	uint64_t seen = u->name != NULL ? max_u64(u->seen_ns, now) : now;

	if (start < m->xla_done)
		return 0;
	if (u->name == NULL || start < u->start_ns) {
		u->name = pool_text(&m->pool, (struct wire_str){ module,
		    (uint32_t)strcspn(module, ",#") });
		u->start_ns = start;
	}
	u->seen_ns = seen;
	return u->name != NULL ? 0 : -1;
}

/* A compilation has ended: so have all that began before. */
static void
done(struct model *m, uint64_t now)
{
	m->xla_done = max_u64(m->xla_done, now);
	if (m->xla_begun.start_ns < m->xla_done)
		m->xla_begun = (struct xla_unfinished){ .name = NULL };
}

void
xla_settle(struct model *m)
{
	struct run *run = &m->run;
	struct xla_unfinished *u = &run->xla_unfinished;
	uint64_t last = 0;

	*u = (struct xla_unfinished){ .name = NULL };
	if (m->xla_begun.name == NULL || run->state == RUN_LIVE ||
	    (run->state == RUN_FINISHED && !m->xla_begun.cut))
		return;
	for (size_t i = 0; i < run->devices; i++)
		last = max_u64(last, run->device[i].last_ns);
	/* Work behind it is another matter: the program went on, and ranges were lost. */
	if (last == 0 || last > sub_sat(m->xla_begun.seen_ns, run->origin_ns))
		return;
	*u = m->xla_begun;
	u->start_ns = sub_sat(u->start_ns, run->origin_ns);
	u->seen_ns = sub_sat(u->seen_ns, run->origin_ns);
	u->idle_ns = min_u64(run->idle_ns[IDLE_SHUTDOWN],
	    sub_sat(run->wall_ns, max_u64(last, u->start_ns)));
}

int
xla_range(struct model *m, struct stream *s, const struct record_RANGE *r)
{
	static const char compile[] = "XlaCompile:#module=";
	const char *text = stream_text(s, r->name), *module;
	struct xla_module *x;
	uint64_t ns;

	if (text == NULL || strncmp(text, "Xla", 3) != 0 ||
	    !model_time(m, r->start_ns, r->end_ns))
		return 0;
	if (is_pass(text, &module))
		return begun(m, module, r->start_ns, r->end_ns);
	if (strncmp(text, compile, sizeof(compile) - 1) != 0)
		return 0;
	text += sizeof(compile) - 1;
	if (r->flags & RANGE_CUT) {
		m->xla_begun.cut = r->start_ns >= m->xla_done;
		return begun(m, text, r->start_ns, r->end_ns);
	}
	done(m, r->end_ns);
	if ((x = module_of(m, (struct wire_str){ text,
	    (uint32_t)strcspn(text, ",#") })) == NULL)
		return -1;
	ns = r->end_ns - r->start_ns;
	x->first_ns = x->times == 0 ? ns : x->first_ns;
	x->host_ns = add_sat(x->host_ns, ns);
	x->times++;
	return 0;
}
