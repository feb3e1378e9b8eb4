#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/paths.h"
#include "capture/enrich.h"
#include "model/ceilings.h"
#include "model/model.h"
#include "report/json.h"
#include "report/json_source.h"
#include "rules/engine/finding.h"

#include "cli/analysis.h"

/* What cannot be kept (a disk may be full) is good for this reading still. */
static int
enrich(struct model *m, const char *path, bool keep, struct error *e)
{
	struct error trouble = ERROR_INIT;
	struct capture_writer *w;

	if (!keep)
		return (enrich_model(m, NULL, NULL, e));
	w = capture_writer_open(path, &trouble);
	if (enrich_model(m, w, NULL, &trouble) != 0 || w == NULL)
		log_failure("the capture lacks disassembly", &trouble);
	capture_writer_close(w);
	return (0);
}

/* A capture of too many small frames, condensed for this reading. */
static int
load_condensed(struct analysis *a, const char *path, struct error *e)
{
	const char *tmp = getenv("TMPDIR");
	char dir[PATH_MAX], file[PATH_MAX];
	int rc = -1;

	snprintf(dir, sizeof(dir), "%.4000s/cudadvise-XXXXXX",
	    tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");
	if (mkdtemp(dir) == NULL)
		return (error_set(e, "cannot make '%s':", dir));
	if (paths_join(file, dir, "condensed.cadv", e) == 0 &&
	    capture_condense(path, file, e) == 0)
		rc = capture_load(file, a->model, &a->stats, e);
	unlink(file);
	rmdir(dir);
	return (rc);
}

static int
load(struct analysis *a, const char *path, struct error *e)
{

	if (capture_load(path, a->model, &a->stats, e) == 0)
		return (0);
	if (!a->stats.crowded)
		return (-1);
	*e = (struct error)ERROR_INIT;
	return (load_condensed(a, path, e));
}

int
analysis_from_file(struct analysis *a, const char *path,
    const struct thresholds *t, bool keep, struct error *e)
{
	struct ceilings *c = NULL;

	*a = (struct analysis)ANALYSIS_INIT;
	if ((a->model = model_new()) == NULL)
		goto memory;
	if (load(a, path, e) != 0)
		goto fail;
	if (enrich(a->model, path, keep, e) != 0)
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

	return (json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "schema_version", SCHEMA_VERSION,
	    "run", json_run(r, a->advice, 1),
	    "findings", json_findings(r, a->advice),
	    "checklist", json_checklist(r, a->advice),
	    "kernels", json_kernels(r, a->advice),
	    "copies", json_copies(r),
	    "processes", json_processes(r),
	    "devices", json_devices(r),
	    "diagnostics", json_diagnostics(r)));
}

json_t *
analysis_part(const struct analysis *a, const char *name)
{

	if (strcmp(name, "copies") == 0)
		return (json_copies(a->run));
	if (strcmp(name, "devices") == 0)
		return (json_devices(a->run));
	return (json_checklist(a->run, a->advice));
}

json_t *
analysis_source(const struct analysis *a, uint32_t id, bool sass,
    struct error *e)
{
	const struct kernel *k = NULL;
	json_t *source;
	char *code;
	size_t len, i;

	for (i = 0; i < a->run->kernels; i++)
		if (a->run->kernel[i].id == id)
			k = &a->run->kernel[i];
	if (k == NULL) {
		error_set(e, "there is no kernel %u", id);
		return (NULL);
	}
	source = json_source(a->run, k, a->advice);
	if (source != NULL && sass) {
		code = json_instructions(k, &len);
		if (code == NULL || json_object_set_new(source, "instructions",
		    json_loadb(code, len, 0, NULL)) != 0) {
			json_decref(source);
			source = NULL;
		}
		free(code);
	}
	if (source == NULL)
		error_set(e, "out of memory");
	return (source);
}

json_t *
analysis_source_file(const struct analysis *a, uint32_t index,
    struct error *e)
{
	json_t *file = json_source_file(a->run, index);

	if (file == NULL)
		error_set(e, "there is no source file %u", index);
	return (file);
}
