/* A run as one file, in the formats of report/format.def. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/format.h"
#include "service/service.h"

#include "http/api.h"
#include "http/route.h"

#define SHOWN(name, help)
static const struct format {
	const char *name, *suffix, *type;
	void (*answer)(struct request *, struct response *,
	    const struct store_run *);
	int (*write)(FILE *, const struct report *);
} formats[] = {
#define EXPORTED(name, suffix, type, help)				\
	{ #name, suffix, type, export_##name, NULL },
#define WRITTEN(id, name, suffix, type, help)				\
	{ name, suffix, type, NULL, format_##id },
#include "report/format.def"
#undef WRITTEN
#undef EXPORTED
};

/* NULL with ${rs} answered if there is no such format. */
static const struct format *
format_of(struct response *rs, const char *name)
{
	static const char *const names = ""
#define EXPORTED(name, suffix, type, help) " " #name
#define WRITTEN(id, name, suffix, type, help) " " name
#include "report/format.def"
#undef WRITTEN
#undef EXPORTED
	    ;
	size_t i;

	if (name == NULL)
		return &formats[0];
	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	respond_problem(rs, PROBLEM_BAD_PARAMETER, "format",
	    "format is one of:%s", names);
	return NULL;
}

/* What is drawn from the documents alone. */
static void
answer_written(struct request *rq, struct response *rs,
    const struct store_run *run, const struct format *format)
{
	char *findings = api_document(rq, rs, run, "findings", "",
	    PROBLEM_NO_DOCUMENT), *text = NULL, name[32];
	json_t *parts[3] = { NULL, NULL, NULL };
	struct report r = { .name = name };
	size_t size = 0;
	FILE *f = NULL;
	int bad = -1;

	if (findings == NULL)
		return;
	snprintf(name, sizeof(name), "%" PRId64, run->number);
	r.findings = parts[0] = json_loads(findings, 0, NULL);
	free(findings);
	r.run = parts[1] = service_run_json(run);
	if ((r.kernels = parts[2] = api_kernels(rq, rs, run)) == NULL)
		goto out;
	if ((f = open_memstream(&text, &size)) != NULL) {
		bad = format->write(f, &r);
		bad |= fclose(f);
	}
	if (bad != 0) {
		free(text);
		respond_json(rs, 500, NULL);
		goto out;
	}
	respond_text(rs, 200, format->type, text, size);
out:
	json_decref(parts[0]);
	json_decref(parts[1]);
	json_decref(parts[2]);
}

void
runs_export(struct request *rq, struct response *rs)
{
	const struct format *format = format_of(rs, rq->route->arg != NULL ?
	    rq->route->arg : query_get(rq, "format"));
	struct store_run run;

	if (format == NULL || api_run(rq, rs, &run) < 0)
		return;
	api_tag(rq, rs, &run);
	if (format->write != NULL)
		answer_written(rq, rs, &run, format);
	else
		format->answer(rq, rs, &run);
	if (rs->status == 200) {
		rs->type = format->type;
		respond_header(rs, "Content-Disposition", "attachment; "
		    "filename=\"run-%" PRId64 ".%s\"", run.number,
		    format->suffix);
	}
	store_run_clear(&run);
}
