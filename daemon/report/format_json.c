/* All documents of a run in one, except the kernels' instructions, of which
 * there may be 100,000. */
#include "report/json.h"
#include "report/text_util.h"

#include "report/format.h"

/* Takes over ${j}; writes ${otherwise} for NULL. True: a part of it is missing
 * for lack of memory. */
static bool
put(FILE *f, json_t *j, const char *otherwise)
{
	bool bad = false;

	if (j == NULL)
		fputs(otherwise, f);
	else
		bad = json_dumpf(j, f, JSON_COMPACT | JSON_REAL_PRECISION(15)) !=
		    0 && !ferror(f);
	json_decref(j);
	return bad;
}

int
format_json(FILE *f, const struct report *r)
{
	const struct reader *reader = r->reader;
	json_t *kernel;
	bool bad;
	uint32_t id;
	size_t i;

	fprintf(f, "{\"schema_version\":%d,\"run\":", SCHEMA_VERSION);
	bad = put(f, json_incref((json_t *)r->run), "null");
	for (i = 0; i < DOCUMENTS; i++) {
		if (document_kind[i].of != DOCUMENT_OF_RUN || i == DOCUMENT_run)
			continue;
		fprintf(f, ",\"%s\":", document_kind[i].key);
		bad |= put(f, reader->document(reader->arg, (enum document_id)i),
		    "null");
	}
	fputs(",\"kernels\":[", f);
	json_array_foreach(r->kernels, i, kernel) {
		id = (uint32_t)field_count(kernel, "id");
		fputs(i > 0 ? ",{\"kernel\":" : "{\"kernel\":", f);
		bad |= put(f, json_incref(kernel), "null");
		fputs(",\"metrics\":", f);
		bad |= put(f, reader->part(reader->arg, DOCUMENT_metrics, id),
		    "[]");
		fputs(",\"source\":", f);
		bad |= put(f, reader->source(reader->arg, id), "null");
		putc('}', f);
	}
	fputs("]}", f);
	return bad ? -1 : 0;
}
