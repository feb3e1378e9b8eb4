/* The NVTX ranges of a run. They are read from its capture when that is complete. */
#include "base/log.h"
#include "capture/operation.h"
#include "report/ranges.h"
#include "service/internal.h"

struct ranged {
	const char *capture;
	const struct capture_index *index;
	struct error e;
};

static int
read_operations(void *arg, operation_visit *visit, void *visited)
{
	struct ranged *r = arg;

	return capture_operations(r->capture, r->index, visit, visited, &r->e);
}

void
run_ranges(struct documents *docs, const char *capture,
    const struct capture_index *x)
{
	struct ranged r = { .capture = capture, .index = x,
	    .e = ERROR_INIT };
	const struct reader reader = { .arg = &r,
	    .origin_ns = (uint64_t)docs->started_ns,
	    .operations = read_operations };
	json_t *read;

	if (x->ranges == 0)
		return;
	if ((read = ranges_read(&reader)) == NULL) {
		if (r.e.set)
			log_failure("NVTX ranges are not read", &r.e);
		read = ranges_none("the run's capture cannot be read");
	}
	documents_replace(docs, DOCUMENT_ranges, read);
}
