/* A run as one file, in the formats of report/format.def. */
#include <inttypes.h>
#include <string.h>

#include "http/api.h"
#include "http/route.h"

#define SHOWN(name, help)
static const struct format {
	const char *name, *suffix, *type;
	void (*answer)(struct request *, struct response *,
	    const struct store_run *);
} formats[] = {
#define EXPORTED(name, suffix, type, help)				\
	{ #name, suffix, type, export_##name },
#include "report/format.def"
#undef EXPORTED
};

/* NULL with ${rs} answered if there is no such format. */
static const struct format *
format_of(struct response *rs, const char *name)
{
	static const char *const names = ""
#define EXPORTED(name, suffix, type, help) " " #name
#include "report/format.def"
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

void
runs_export(struct request *rq, struct response *rs)
{
	const struct format *format = format_of(rs, rq->route->arg != NULL ?
	    rq->route->arg : query_get(rq, "format"));
	struct store_run run;

	if (format == NULL || api_run(rq, rs, &run) < 0)
		return;
	api_tag(rq, rs, &run);
	format->answer(rq, rs, &run);
	if (rs->status == 200) {
		rs->type = format->type;
		respond_header(rs, "Content-Disposition", "attachment; "
		    "filename=\"run-%" PRId64 ".%s\"", run.number,
		    format->suffix);
	}
	store_run_clear(&run);
}
