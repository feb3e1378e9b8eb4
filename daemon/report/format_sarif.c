/*
 * SARIF 2.1.0 (OASIS), the input of code scanning. A fingerprint is the
 * finding's id, which is the same in every run; rank is the share of the run,
 * in percent, that fixing it would save. With a baseline each result has its
 * state, and findings that are gone are listed, too.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/json.h"
#include "report/json_util.h"
#include "report/text_util.h"

#include "report/format.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

/* A file's name as a URI reference (RFC 3986): all but unreserved characters and
 * slashes percent-encoded; an absolute path as file:. New reference, or NULL. */
static json_t *
uri_json(const char *file)
{
	static const char hex[] = "0123456789ABCDEF";
	char *out = malloc(3 * strlen(file) + 8), *p = out;
	json_t *uri;

	if (out == NULL)
		return NULL;
	if (*file == '/')
		p = stpncpy(p, "file://", 8);
	for (; *file != '\0'; file++) {
		if (isalnum((unsigned char)*file) || strchr("-._~/", *file)) {
			*p++ = *file;
			continue;
		}
		*p++ = '%';
		*p++ = hex[(unsigned char)*file >> 4];
		*p++ = hex[(unsigned char)*file & 15];
	}
	uri = json_stringn(out, (size_t)(p - out));
	free(out);
	return uri;
}

static json_t *
text_json(const char *key, const char *s)
{

	return json_pack("{s:o}", key, json_text(s != NULL && *s != '\0' ? s :
	    "–"));
}

static json_t *
help_json(const json_t *rule)
{
	const json_t *example = json_object_get(rule, "example");
	const char *why = or_unknown(field_text(rule, "why"));
	const char *advice = or_unknown(field_text(rule, "advice"));
	const char *bad = field_text(example, "bad");
	const char *good = field_text(example, "good");
	char *text = NULL, *markdown = NULL;
	json_t *help = NULL;

	if (asprintf(&text, "%s\n\n%s", why, advice) < 0)
		text = NULL;
	if (asprintf(&markdown, "%s\n\n%s\n\n%s%s%s%s%s%s", why, advice,
	    bad != NULL ? "```cuda\n" : "", bad != NULL ? bad : "",
	    bad != NULL ? "\n```\n" : "", good != NULL ?
	    "instead:\n\n```cuda\n" : "", good != NULL ? good : "",
	    good != NULL ? "\n```\n" : "") < 0)
		markdown = NULL;
	if (text != NULL && markdown != NULL)
		help = json_pack("{s:o, s:o}", "text", json_text(text),
		    "markdown", json_text(markdown));
	free(text);
	free(markdown);
	return help;
}

static json_t *
rules_json(void)
{
	json_t *rules = json_rules(), *list = json_array(), *rule, *o;
	size_t i;

	json_array_foreach(rules, i, rule) {
		o = json_pack("{s:O, s:o, s:o, s:{s:s}, s:{s:[O]}}",
		    "id", json_object_get(rule, "id"),
		    "shortDescription", text_json("text", field_text(rule,
		    "title")),
		    "help", help_json(rule),
		    "defaultConfiguration", "level", format_level(rule),
		    "properties", "tags", json_object_get(rule, "category"));
		if (json_array_append_new(list, o) != 0) {
			json_decref(list);
			list = NULL;
			break;
		}
	}
	json_decref(rules);
	return list;
}

/* ${location} with the file and line of ${p}, if they are known. */
static json_t *
placed_json(json_t *location, struct place p)
{

	if (location != NULL && p.file != NULL && p.line > 0)
		json_object_set_new(location, "physicalLocation", json_pack(
		    "{s:{s:o}, s:{s:o}}", "artifactLocation", "uri",
		    uri_json(p.file), "region", "startLine",
		    json_count(p.line)));
	return location;
}

static json_t *
location_json(const struct report *r, const json_t *f)
{
	const char *kernel = field_text(json_object_get(f, "location"),
	    "kernel");

	return placed_json(json_pack("{s:[{s:o, s:s}]}", "logicalLocations",
	    "fullyQualifiedName", json_text(kernel != NULL ? kernel :
	    or_unknown(field_text(f, "where"))), "kind", kernel != NULL ?
	    "function" : "module"), format_place(r->run, f));
}

/* Adds the host's line to a finding at a line of the kernel. */
static void
related(json_t *result, const struct report *r, const json_t *f)
{
	struct place p = format_launch_site(r->run, f),
	    first = format_place(r->run, f);
	json_t *o;

	if (p.file == NULL || p.line == 0 || p.file == first.file)
		return;
	o = placed_json(json_pack("{s:{s:s}}", "message", "text",
	    "launched or called here"), p);
	json_object_set_new(result, "relatedLocations", json_pack("[o]", o));
}

/* Properties that SARIF has no field for: launch shape, GPU, stream. */
static json_t *
properties_json(const json_t *f)
{
	static const char *const keys[] = { "grid", "block", "device",
		"stream" };
	const json_t *l = json_object_get(f, "location");
	json_t *o = json_object(), *v;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if ((v = json_object_get(l, keys[i])) != NULL &&
		    !json_is_null(v))
			json_object_set(o, keys[i], v);
	return o;
}

static json_t *
result_json(const struct report *r, const json_t *f)
{
	double share = field_number(json_object_get(f, "saves"),
	    "share_ratio");
	char *message = format_message(f);
	json_t *o = NULL;

	if (message != NULL)
		o = json_pack("{s:O, s:s, s:o, s:[o], s:{s:O}, s:o}",
		    "ruleId", json_object_get(f, "rule"),
		    "level", format_level(f),
		    "message", text_json("text", message),
		    "locations", location_json(r, f),
		    "partialFingerprints", "cudadvise/v1",
		    json_object_get(f, "id"),
		    "properties", properties_json(f));
	free(message);
	if (o != NULL)
		related(o, r, f);
	if (o != NULL && share >= 0)
		json_object_set_new(o, "rank", json_number(fmin(100, 100 *
		    share)));
	return o;
}

/* The comparison's state of a finding, by its id in the baseline (${key}
 * "base_id") or now ("target_id"). */
static const char *
fate_of(const struct report *r, const char *key, const json_t *finding)
{
	const char *id = or_unknown(field_text(finding, "id")), *of;
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(r->compare,
	    "findings"), "items"), i, item) {
		of = field_text(item, key);
		if (of != NULL && strcmp(of, id) == 0)
			return or_unknown(field_text(item, "state"));
	}
	return "unknown";
}

static void
add_result(json_t *results, const struct report *r, const json_t *finding,
    const char *state)
{
	json_t *result = result_json(r, finding);

	if (state != NULL && result != NULL)
		json_object_set_new(result, "baselineState",
		    json_string(state));
	json_array_append_new(results, result);
}

/* Adds findings of the baseline that were worth a change and are gone. */
static void
add_absent(json_t *results, const struct report *r)
{
	const json_t *f;
	size_t i;

	json_array_foreach((json_t *)r->was, i, f)
		if (field_true(f, "worth_it") && strcmp(fate_of(r, "base_id",
		    f), "gone") == 0)
			add_result(results, r, f, "absent");
}

int
format_sarif(FILE *f, const struct report *r)
{
	json_t *results = json_array(), *whole;
	const json_t *finding;
	size_t i = 0;

	while ((finding = format_next(r, &i)) != NULL)
		add_result(results, r, finding, r->compare == NULL ? NULL :
		    strcmp(fate_of(r, "target_id", finding), "new") == 0 ?
		    "new" : "unchanged");
	if (r->compare != NULL)
		add_absent(results, r);
	whole = json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:s, s:o}]}",
	    "$schema", SCHEMA, "version", "2.1.0", "runs",
	    "tool", "driver", "name", "cudadvise", "version",
	    CUDADVISE_VERSION, "rules", rules_json(),
	    "columnKind", "utf16CodeUnits",
	    "results", results);
	if (whole == NULL)
		return -1;
	json_dumpf(whole, f, JSON_INDENT(1));
	putc('\n', f);
	json_decref(whole);
	return 0;
}
