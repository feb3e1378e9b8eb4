/*
 * model/ceilings_of.c: chooses the ceilings of each device of a run; see ceilings.h.
 */
#include <stdio.h>
#include <strings.h>

#include "model/model.h"
#include "model/shipped.h"

static void
say_from(struct ceilings *c)
{
	if (c->calibrated)
		snprintf(c->from, sizeof(c->from), c->date[0] != '\0' ?
		    "calibrated on %s" : "calibrated on this GPU", c->date);
	else
		snprintf(c->from, sizeof(c->from), "%s", c->shipped != 0 ?
		    "other GPUs of this model" : "device attributes");
}

void
ceilings_settle(struct run *run)
{
	static const struct ceilings none = { .from = "device attributes" };

	run->ceilings = run->devices > 0 ? &run->device[0].ceilings : &none;
	for (size_t i = 0; i < run->devices; i++) {
		struct device *d = &run->device[i];
		struct ceilings *c = &d->ceilings;

		ceilings_default(c, d);
		shipped_ceilings(c, d);
		for (size_t k = 0; k < run->calibrations; k++) {
			const struct calibration *cal = &run->calibration[k];

			if (d->uuid != NULL && cal->gpu != NULL &&
			    strcasecmp(d->uuid, cal->gpu) == 0 &&
			    ceilings_parse(c, cal->json, cal->length) == 0)
				break;
		}
		say_from(c);
		if (run->ceilings->calibrated)
			run->ceilings = c;
	}
}
