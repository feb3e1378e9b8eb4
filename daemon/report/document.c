#include <string.h>

#include "model/model.h"
#include "report/analyse.h"
#include "report/json.h"
#include "rules/engine/finding.h"

#include "report/document.h"

/* The writers of the table, all with the same parameter. */
#define TAKES_RUN(id)							\
	static json_t *							\
	document_##id(const struct subject *x)				\
	{								\
		return json_##id(x->analysis->run);			\
	}
#define TAKES_ADVICE(id)						\
	static json_t *							\
	document_##id(const struct subject *x)				\
	{								\
		return json_##id(x->analysis->run,			\
		    x->analysis->advice);				\
	}
#define TAKES_SUBJECT(id)
#define TAKES_BOUNDED(id)
#define STORED(id, noun, of, shape, when, takes) TAKES_##takes(id)
#define DOCUMENT(id, noun, of, shape, when, takes, path, operation, summary) \
	TAKES_##takes(id)
#include "report/document.def"
#undef TAKES_RUN
#undef TAKES_ADVICE
#undef TAKES_SUBJECT
#undef TAKES_BOUNDED

#define TAKES_RUN(id) document_##id
#define TAKES_ADVICE(id) document_##id
#define TAKES_SUBJECT(id) document_##id
#define TAKES_BOUNDED(id) NULL
#define STORED(id, noun, of, shape, when, takes)			\
	[DOCUMENT_##id] = { #id, noun, DOCUMENT_OF_##of,		\
	    DOCUMENT_SHAPE_##shape, DOCUMENT_WHEN_##when,		\
	    TAKES_##takes(id), NULL },
#define DOCUMENT(id, noun, of, shape, when, takes, path, operation, summary) \
	[DOCUMENT_##id] = { #id, noun, DOCUMENT_OF_##of,		\
	    DOCUMENT_SHAPE_##shape, DOCUMENT_WHEN_##when,		\
	    TAKES_##takes(id), path },
const struct document_kind document_kind[DOCUMENTS] = {
#include "report/document.def"
};

const struct document_kind *
document_find(const char *noun)
{
	size_t i;

	for (i = 0; i < DOCUMENTS; i++)
		if (strcmp(document_kind[i].noun, noun) == 0)
			return &document_kind[i];
	return NULL;
}

json_t *
document_run(const struct subject *x)
{

	return json_run(x->analysis->run, x->analysis->advice,
	    x->analysis->revision);
}

json_t *
document_timeline(const struct subject *x)
{

	return json_timeline(x->analysis->run, 0, 0, TIMELINE_BINS);
}

json_t *
document_kernel(const struct subject *x)
{

	return json_kernel_with(x->analysis->run, x->kernel,
	    x->analysis->advice, x->functions);
}

json_t *
document_metrics(const struct subject *x)
{

	return json_metrics_of(x->analysis->run, x->kernel);
}

/* The durations of launches: the histogram behind the percentiles. */
json_t *
document_launches(const struct subject *x)
{
	const struct distribution *time = &x->kernel->time;
	json_t *buckets = json_array();
	size_t i;

	for (i = 0; i < STAT_BUCKETS; i++) {
		if (time->bucket[i] == 0)
			continue;
		json_array_append_new(buckets, json_pack("[i, I]", (int)i,
		    (json_int_t)time->bucket[i]));
	}
	return json_pack("{s:I, s:I, s:I, s:i, s:o}",
	    "count", (json_int_t)time->count,
	    "min_ns", (json_int_t)(time->count ? time->min : 0),
	    "max_ns", (json_int_t)time->max,
	    "per_octave", 4,	/* model/stat.c: bucket i from 2^(i/4) ns */
	    "buckets", buckets);
}

json_t *
document_finding(const struct subject *x)
{

	return json_finding_of(x->analysis->run, x->analysis->advice,
	    x->finding);
}
