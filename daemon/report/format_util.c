#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "report/text_util.h"

#include "report/format.h"

static struct place
place_of(const json_t *run, const json_t *at)
{
	const char *file = field_text(at, "file"), *cwd = field_text(run,
	    "cwd");
	struct place p = { file, field_count(at, "line") };
	size_t n;

	if (file == NULL || cwd == NULL || (n = strlen(cwd)) < 2)
		return p;
	if (strncmp(file, cwd, n) == 0 && file[n] == '/')
		p.file = file + n + 1;
	return p;
}

struct place
format_launch_site(const json_t *run, const json_t *finding)
{

	return place_of(run, json_object_get(json_object_get(finding,
	    "location"), "launch_site"));
}

struct place
format_place(const json_t *run, const json_t *finding)
{
	struct place p = place_of(run, json_object_get(finding, "location"));

	/* If it is not about a line of the kernel, the call is the place to edit. */
	return p.file != NULL || field_text(finding, "location_missing") !=
	    NULL ? p : format_launch_site(run, finding);
}

char *
format_benchmark(char out[BENCHMARK_SIZE], const json_t *kernel)
{
	char grid[NUMBER_SIZE], block[NUMBER_SIZE];
	size_t n;

	text_copy(out, 3800, or_unknown(field_text(kernel, "name")));
	n = strlen(out);
	snprintf(out + n, BENCHMARK_SIZE - n, ", grid %s, block %s",
	    field_shape(grid, kernel, "grid"),
	    field_shape(block, kernel, "block"));
	return out;
}

char *
format_clean(const char *s)
{
	size_t len = strlen(s), at = 0, n;
	char *out = malloc(len + 1);

	while (out != NULL && len > 0) {
		n = utf8_length(s, len);
		if (n == 0 || (unsigned char)*s < ' ' || *s == 0x7f ||
		    (n == 2 && utf8_code(s, n) < 0xa0)) {
			out[at++] = n == 0 ? '?' : ' ';
			n = n == 0 ? 1 : n;
		} else {
			memcpy(out + at, s, n);
			at += n;
		}
		s += n;
		len -= n;
	}
	if (out != NULL)
		out[at] = '\0';
	return out;
}

char *
format_message(const json_t *finding)
{
	const json_t *saves = json_object_get(finding, "saves");
	double s = field_number(saves, "s");
	const char *summary = field_text(finding, "summary");
	const char *advice = field_text(finding, "advice");
	char a[NUMBER_SIZE], b[NUMBER_SIZE], *text, *clean = NULL;

	number_interval(b, s, field_number(saves, "low_s"),
	    field_number(saves, "high_s"));
	if (asprintf(&text, "%s in %s: %s%s%s%s%s%s%s%s",
	    or_unknown(field_text(finding, "title")),
	    or_unknown(field_text(finding, "where")),
	    summary != NULL ? summary : "",
	    isnan(s) ? "" : "; changing it would save ",
	    isnan(s) ? "" : number_seconds(a, s),
	    isnan(s) || b[0] == '\0' ? "" : " (", isnan(s) ? "" : b,
	    isnan(s) || b[0] == '\0' ? "" : ")",
	    advice != NULL ? ": " : "", advice != NULL ? advice : "") < 0)
		return NULL;
	clean = format_clean(text);
	free(text);
	return clean;
}

const json_t *
format_next(const struct report *r, size_t *i)
{
	const json_t *items = json_object_get(r->findings, "items"), *f;

	while ((f = json_array_get(items, (*i)++)) != NULL)
		if (field_true(f, "worth_it"))
			return f;
	return NULL;
}

const char *
format_level(const json_t *finding)
{

	return strcmp(or_unknown(field_text(finding, "severity")), "low") ==
	    0 ? "note" : "warning";
}
