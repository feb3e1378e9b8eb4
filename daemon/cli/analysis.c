#include <stdlib.h>

#include "base/error.h"
#include "model/ceilings.h"
#include "model/model.h"
#include "report/json.h"
#include "rules/finding.h"

#include "cli/analysis.h"

int
analysis_from_file(struct analysis *a, const char *path,
    const struct thresholds *t, struct error *e)
{
	struct ceilings *c = NULL;

	*a = (struct analysis)ANALYSIS_INIT;
	if ((a->model = model_new()) == NULL)
		goto memory;
	if (capture_load(path, a->model, &a->stats, e) != 0)
		goto fail;
	if ((a->run = model_settle(a->model, true)) == NULL)
		goto memory;
	if ((c = calloc(a->run->devices + 1, sizeof(*c))) == NULL)
		goto memory;
	ceilings_of(c, a->run);
	if ((a->advice = advice_make(a->run, c, t)) == NULL)
		goto memory;
	free(c);
	return (0);

memory:
	error_set(e, "out of memory while analysing '%s'", path);
fail:
	free(c);
	analysis_release(a);
	return (-1);
}

void
analysis_release(struct analysis *a)
{

	advice_free(a->advice);
	model_free(a->model);
	*a = (struct analysis)ANALYSIS_INIT;
}

json_t *
analysis_json(const struct analysis *a)
{
	const struct run *r = a->run;

	return (json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "schema_version", SCHEMA_VERSION,
	    "run", json_run(r, a->advice, 1),
	    "findings", json_findings(r, a->advice),
	    "kernels", json_kernels(r, a->advice),
	    "copies", json_copies(r),
	    "processes", json_processes(r),
	    "devices", json_devices(r),
	    "diagnostics", json_diagnostics(r)));
}
