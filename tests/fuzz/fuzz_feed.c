/*
 * fuzz_feed.c: what each record of a live run passes through: the model, which
 * is read in between, the index of its capture, and the addresses that need
 * names. Chunks as in parts.h; step & 4: read the model.
 */
#include <string.h>

#include "capture/capture.h"
#include "capture/capture_index.h"
#include "capture/symbol.h"
#include "model/model.h"
#include "wire/record.h"

#include "fuzz/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct run_of {
	struct model *model;
	struct capture_index index;
	struct definitions definitions;
	struct symbols *symbols;
	uint64_t sequence[256];
};

static void
feed(struct run_of *f, uint64_t stream, struct input part)
{
	struct capture_frame span;
	struct record r;
	size_t pos = 0;

	frame_open(&span, stream);
	while (record_next(part.p, part.len, &pos, &r) == 1) {
		if (model_feed(f->model, stream, f->sequence[stream], &r) ||
		    definitions_note(&f->definitions, stream, &r, &f->index) ||
		    symbols_note(&f->symbols, stream, &r) != 0)
			return;
		frame_note(&span, f->sequence[stream]++, &r);
	}
	if (span.records > 0)
		capture_index_add(&f->index, &f->definitions.frame_cap, &span);
}

/* Checks what other code relies on. */
static void
check(const struct run *r)
{
	size_t i;

	WANT(r != NULL);
	for (i = 0; i < r->kernels; i++)
		WANT(r->kernel[i].name != NULL);
	for (i = 0; i < r->timelines; i++)
		WANT(r->timeline[i].bins <= TIMELINE_BINS &&
		    r->timeline[i].bin_ns > 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct run_of f;
	uint8_t stream, step;

	memset(&f, 0, sizeof(f));
	if ((f.model = model_new()) == NULL)
		return 0;
	while (in.len > 4) {
		stream = input_u8(&in);
		step = input_u8(&in);
		f.sequence[stream] += step % 4 == 3 ? 5 : 0;
		feed(&f, stream, input_bytes(&in, input_u16(&in)));
		if (step & 4)
			check(model_settle(f.model, false));
	}
	check(model_settle(f.model, true));
	capture_index_kernels(&f.index, model_settle(f.model, true));
	model_free(f.model);
	capture_index_clear(&f.index);
	definitions_clear(&f.definitions);
	symbols_free(f.symbols);
	return 0;
}
