/*
 * report/json_ranges.c: the document of a run's NVTX ranges while it is live.
 * With the whole capture, ranges.h writes it instead.
 */
#include "model/model.h"
#include "report/ranges.h"

#include "report/json.h"

json_t *
json_ranges(const struct run *r)
{

	return ranges_none(r->state == RUN_LIVE ? "the run has not ended" : NULL);
}
