/*
 * The dashboard's page with a run inside: one file that opens from disk,
 * without a server. Its policy allows only the script and the style that it was
 * built with; text of the program is data for that script (web/src/offline.ts)
 * and is never parsed as HTML.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/by_time.h"
#include "report/json.h"
#include "report/json_source.h"
#include "report/dashboard.h"
#include "report/text_util.h"

#include "report/format.h"

#define KERNELS_FULL 100	/* with metrics, launch times and lines */
#define KERNELS_MOST 5000	/* at all */
#define FILES_MOST 256
#define BYTES_MOST (24u << 20)	/* of lines and files: those beyond are null */

struct writing {
	FILE *f;
	const struct report *report;
	size_t room;		/* of BYTES_MOST */
};

/* Escapes every '<', which alone could end the script element. */
static void
put(FILE *f, const char *json)
{
	const char *p;

	while ((p = strchr(json, '<')) != NULL) {
		fwrite(json, 1, (size_t)(p - json), f);
		fputs("\\u003c", f);
		json = p + 1;
	}
	fputs(json, f);
}

/* Takes over ${j}. Writes null for NULL or, with ${bounded}, if there is no
 * room left. */
static void
put_json(struct writing *w, json_t *j, bool bounded)
{
	char *text = j != NULL ? json_dumps(j, JSON_COMPACT |
	    JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY) : NULL;
	size_t len = text != NULL ? strlen(text) : 0;

	if (bounded && len > w->room) {
		free(text);
		text = NULL;
	} else if (bounded) {
		w->room -= len;
	}
	put(w->f, text != NULL ? text : "null");
	free(text);
	json_decref(j);
}

static json_t *
part(const struct writing *w, enum document_id which, uint32_t number)
{
	const struct reader *r = w->report->reader;

	return r->part(r->arg, which, number);
}

/* What is known of its lines, or the reason why nothing is. */
static json_t *
source_of(const struct writing *w, const json_t *kernel, uint32_t id)
{
	const json_t *run = w->report->run;
	json_t *source = w->report->reader->source(w->report->reader->arg, id);

	if (source != NULL)
		return source;
	source = json_source_none(id, source_missing(field_text(run, "level"),
	    field_text(run, "state")));
	json_object_set(source, "name", json_object_get(kernel, "name"));
	json_object_set(source, "function", json_object_get(kernel, "mangled"));
	return source;
}

static void
put_kernel(struct writing *w, json_t *kernel, bool full)
{
	uint32_t id = (uint32_t)field_count(kernel, "id");

	fputs("{\"kernel\":", w->f);
	put_json(w, json_incref(kernel), false);
	fputs(",\"metrics\":", w->f);
	put_json(w, full ? part(w, DOCUMENT_metrics, id) : NULL, true);
	fputs(",\"launches\":", w->f);
	put_json(w, full ? part(w, DOCUMENT_launches, id) : NULL, true);
	fputs(",\"source\":", w->f);
	put_json(w, full ? source_of(w, kernel, id) : NULL, true);
	putc('}', w->f);
}

static int
put_kernels(struct writing *w)
{
	size_t n = json_array_size(w->report->kernels), i;
	json_t **k = by_time(w->report->kernels);

	if (k == NULL)
		return -1;
	for (i = 0; i < n && i < KERNELS_MOST; i++) {
		if (i > 0)
			putc(',', w->f);
		put_kernel(w, k[i], i < KERNELS_FULL);
	}
	free(k);
	return 0;
}

/* Keyed by the part of their paths behind the run's. */
static void
put_documents(struct writing *w)
{
	const struct reader *r = w->report->reader;
	const struct document_kind *kind;
	bool first = true;
	size_t i;

	for (i = 0; i < DOCUMENTS; i++) {
		kind = &document_kind[i];
		if (kind->of != DOCUMENT_OF_RUN || i == DOCUMENT_run)
			continue;
		fprintf(w->f, "%s\"%s\":", first ? "" : ",", kind->path != NULL ?
		    kind->path + 1 : kind->noun);
		put_json(w, r->document(r->arg, (enum document_id)i), false);
		first = false;
	}
}

static void
put_files(struct writing *w)
{
	const struct reader *r = w->report->reader;
	json_t *list = r->document(r->arg, DOCUMENT_source_files);
	size_t n = json_array_size(list), i;

	for (i = 0; i < n && i < FILES_MOST; i++) {
		if (i > 0)
			putc(',', w->f);
		put_json(w, part(w, DOCUMENT_source_file, (uint32_t)i), true);
	}
	json_decref(list);
}

int
format_html(FILE *f, const struct report *r)
{
	struct writing w = { .f = f, .report = r, .room = BYTES_MOST };
	int rc;

	fwrite(dashboard_head, 1, dashboard_length(dashboard_head, dashboard_head_end), f);
	fputs("<style>", f);
	fwrite(dashboard_css, 1, dashboard_length(dashboard_css, dashboard_css_end), f);
	fputs("</style>\n</head>\n<body>\n<div id=\"app\"></div>\n<noscript>This "
	    "page needs JavaScript.</noscript>\n<script type=\"application/json\""
	    " id=\"run\">", f);
	fputs("{\"run\":", f);
	put_json(&w, json_incref((json_t *)(uintptr_t)r->run), false);
	fputs(",\"documents\":{", f);
	put_documents(&w);
	fputs("},\"kernels\":[", f);
	rc = put_kernels(&w);
	fputs("],\"files\":[", f);
	put_files(&w);
	fputs("],\"rules\":", f);
	put_json(&w, json_rules(), false);
	fputs("}</script>\n<script>", f);
	fwrite(dashboard_js, 1, dashboard_length(dashboard_js, dashboard_js_end), f);
	fputs("</script>\n</body>\n</html>\n", f);
	return rc;
}
