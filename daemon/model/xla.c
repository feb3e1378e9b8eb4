/*
 * model/xla.c: what XLA compiled. It names each compilation in an NVTX range,
 * "XlaCompile:#module=jit_step#": the same name again is a recompilation, for other
 * shapes or types.
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

int
xla_range(struct model *m, struct stream *s, const struct record_RANGE *r)
{
	static const char begin[] = "XlaCompile:#module=";
	const char *text = stream_text(s, r->name);
	struct xla_module *x;
	uint64_t ns;

	if (text == NULL || strncmp(text, begin, sizeof(begin) - 1) != 0 ||
	    !model_time(m, r->start_ns, r->end_ns))
		return 0;
	text += sizeof(begin) - 1;
	if ((x = module_of(m, (struct wire_str){ text,
	    (uint32_t)strcspn(text, ",#") })) == NULL)
		return -1;
	ns = r->end_ns - r->start_ns;
	x->first_ns = x->times == 0 ? ns : x->first_ns;
	x->host_ns = add_sat(x->host_ns, ns);
	x->times++;
	return 0;
}
