#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/noun.h"
#include "unit/test.h"

static const json_t *
schemas(void)
{
	static json_t *doc;
	json_error_t e;

	if (doc == NULL)
		doc = json_load_file(CONFIG_DIR "/openapi.json", 0, &e);
	if (doc == NULL)
		fail_msg("openapi.json: line %d: %s", e.line, e.text);
	return json_object_get(json_object_get(doc, "components"),
	    "schemas");
}

/* Resolves a reference; for a choice (something or null) the first. */
static const json_t *
resolved(const json_t *s)
{
	const char *ref;

	while (s != NULL) {
		if (json_object_get(s, "anyOf") != NULL)
			s = json_array_get(json_object_get(s, "anyOf"), 0);
		else if ((ref = json_string_value(json_object_get(s,
		    "$ref"))) != NULL)
			s = json_object_get(schemas(), strrchr(ref, '/') + 1);
		else
			break;
	}
	return s;
}

/* Adds the fields of ${s}, including those of the schemas that it is composed of. */
static void
gather(const json_t *s, json_t *fields)
{
	const json_t *part;
	size_t i;

	s = resolved(s);
	json_array_foreach(json_object_get(s, "allOf"), i, part)
		gather(part, fields);
	json_object_update(fields, json_object_get(s, "properties"));
}

static json_t *
fields_of(const char *noun)
{
	json_t *fields = json_object();
	const json_t *s = schemas();
	char name[64], *rest = name, *word;

	assert_true(strlen(noun) < sizeof(name));
	snprintf(name, sizeof(name), "%s", noun);
	while ((word = strsep(&rest, ".")) != NULL) {
		s = json_object_get(s, word);
		if (s == NULL)
			fail_msg("openapi.json has no %s", noun);
		json_object_clear(fields);
		gather(s, fields);
		s = fields;
	}
	return fields;
}

void
assert_noun_but(const json_t *o, const char *noun, const char *but)
{
	json_t *fields = fields_of(noun), *v;
	char words[128], *rest = words, *word;
	const char *key;

	assert_true(json_is_object(o));
	assert_true(strlen(but) < sizeof(words));
	snprintf(words, sizeof(words), "%s", but);
	while ((word = strsep(&rest, " ")) != NULL)
		if (*word != '\0' && json_object_del(fields, word) != 0)
			fail_msg("%s has no field \"%s\"", noun, word);
	json_object_foreach((json_t *)(uintptr_t)o, key, v)
		if (json_object_get(fields, key) == NULL)
			fail_msg("\"%s\" is no field of %s", key, noun);
	json_object_foreach(fields, key, v)
		if (json_object_get(o, key) == NULL)
			fail_msg("%s without \"%s\"", noun, key);
	json_decref(fields);
}

void
assert_noun(const json_t *o, const char *noun)
{

	assert_noun_but(o, noun, "");
}

json_t *
json_at(const json_t *o, const char *path)
{
	char words[128], *rest = words, *word;

	assert_true(strlen(path) < sizeof(words));
	snprintf(words, sizeof(words), "%s", path);
	while ((word = strsep(&rest, ".")) != NULL)
		o = json_is_array(o) ? json_array_get(o,
		    strtoul(word, NULL, 10)) : json_object_get(o, word);
	return (json_t *)(uintptr_t)o;
}

double
number_at(const json_t *o, const char *path)
{
	const json_t *v = json_at(o, path);

	return json_is_number(v) ? json_number_value(v) : NAN;
}
