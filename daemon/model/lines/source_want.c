/*
 * model/lines/source_want.c: lists the functions to disassemble, those of the
 * longest-running kernels first.
 */
#include <stdlib.h>

#include "base/sort.h"
#include "model/lines/source_state.h"

struct wanted {
	uint32_t function;
	bool wanted;
	uint64_t ns, samples;
};

COMPARE(wanted_compare, struct wanted,
    ORDER(y->wanted, x->wanted) ?: ORDER(y->ns, x->ns) ?:
    ORDER(y->samples, x->samples) ?: ORDER(x->function, y->function))

static void
wanted_by_kernels(const struct model *m, struct wanted *w)
{
	const struct source_state *x = m->source;
	const struct kernel_source *k;
	const struct counted *c;
	uint64_t ns;
	uint32_t i;

	for (i = 0; i < x->kernels && i < m->kernels; i++) {
		k = &x->kernel[i];
		ns = add_sat(add_sat(m->kernel[i].out.time.sum,
		    m->kernel[i].waited.sum), m->kernel[i].profiled_ns);
		if (k->function != 0) {
			w[k->function - 1].wanted = true;
			w[k->function - 1].ns =
			    add_sat(w[k->function - 1].ns, ns);
		}
		for (c = k->counted; c != NULL; c = c->next) {
			w[c->function].wanted = true;
			if (c->function + 1 != k->function)
				w[c->function].ns =
				    add_sat(w[c->function].ns, ns);
		}
	}
}

size_t
model_wants_disassembly(const struct model *m, struct model_code_want *want,
    size_t max)
{
	const struct source_state *x = m->source;
	const struct function_state *f;
	const struct cubin_state *c;
	struct wanted *w;
	size_t n = 0;
	uint32_t i, j;

	if (x == NULL || (w = calloc(x->functions + 1, sizeof(*w))) == NULL)
		return 0;
	for (i = 0; i < x->functions; i++) {
		f = &x->function[i];
		w[i].function = i;
		w[i].wanted = f->samples.count > 0;
		for (j = 0; j < f->samples.count; j++)
			w[i].samples = add_sat(w[i].samples,
			    f->samples.cell[j].n);
	}
	wanted_by_kernels(m, w);
	if (x->functions > 1)
		qsort(w, x->functions, sizeof(*w), wanted_compare);
	for (i = 0; i < x->functions && w[i].wanted && n < max; i++) {
		f = &x->function[w[i].function];
		c = source_cubin_of(x, f->key.cubin);
		if (f->text != NULL || c == NULL || !c->bulk.complete)
			continue;
		want[n++] = (struct model_code_want){ .cubin = f->key.cubin,
		    .symbol = f->symbol, .function = f->key.name,
		    .bytes = c->bulk.bytes, .size = c->bulk.size };
	}
	free(w);
	return n;
}
