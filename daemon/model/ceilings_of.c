/*
 * model/ceilings_of.c: which ceilings a run is held against, see ceilings.h.
 */
#include <stdlib.h>
#include <strings.h>

#include "model/ceilings.h"
#include "model/model.h"
#include "model/shipped.h"

void
ceilings_of(struct ceilings *c, const struct run *run)
{
	for (size_t i = 0; i < run->devices; i++) {
		const struct device *d = &run->device[i];

		ceilings_default(&c[i], d);
		shipped_ceilings(&c[i], d);
		for (size_t k = 0; k < run->calibrations; k++) {
			const struct calibration *cal = &run->calibration[k];

			if (d->uuid != NULL && cal->gpu != NULL &&
			    strcasecmp(d->uuid, cal->gpu) == 0 &&
			    ceilings_parse(&c[i], cal->json, cal->length) == 0)
				break;
		}
	}
}

struct ceilings *
ceilings_new(const struct run *run)
{
	struct ceilings *c = calloc(run->devices + 1, sizeof(*c));

	if (c != NULL)
		ceilings_of(c, run);
	return c;
}
