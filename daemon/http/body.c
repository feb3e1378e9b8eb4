#include <stdlib.h>
#include <string.h>

#include "http/api.h"

void
body_add(struct body *t, const char *s)
{
	size_t n = strlen(s), size;
	char *p;

	if (t->failed)
		return;
	if (t->length + n + 1 > t->size) {
		size = (t->length + n + 1) * 2;
		p = realloc(t->p, size);
		if (p == NULL) {
			t->failed = true;
			return;
		}
		t->p = p;
		t->size = size;
	}
	memcpy(t->p + t->length, s, n + 1);
	t->length += n;
}

void
body_add_json(struct body *t, json_t *j)
{
	char *s = j != NULL ? json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY) :
	    NULL;

	json_decref(j);
	if (s == NULL)
		t->failed = true;
	else
		body_add(t, s);
	free(s);
}

void
body_add_object(struct body *t, const char *json)
{
	static const char version[] = "\"schema_version\":1";

	json++;			/* { */
	if (strncmp(json, version, sizeof(version) - 1) == 0)
		json += sizeof(version) - 1;
	else if (*json != '}')
		body_add(t, ",");
	body_add(t, json);
}

void
body_finish(struct body *t, struct response *rs)
{
	if (t->failed) {
		free(t->p);
		t->p = NULL;
	}
	respond_text(rs, 200, "application/json", t->p, t->length);
}
