#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/paths.h"
#include "cli/json_file.h"
#include "report/text_util.h"

#include "cli/verified.h"

#define VERSION 1
#define MOST 2000		/* the newest are kept */
#define FILE_MOST (8 << 20)	/* bytes */

static int
verified_path(char *out)
{
	char state[PATH_MAX];

	return paths_state(state, NULL) != 0 ? -1 : paths_join(out, state,
	    "verified.json", NULL);
}

json_t *
verified_load(void)
{
	char path[PATH_MAX];
	json_t *j, *items;

	if (verified_path(path) != 0 || json_file_read(path, FILE_MOST, &j) !=
	    0)
		return json_array();
	items = json_integer_value(json_object_get(j, "cudadvise_verified")) ==
	    VERSION ? json_object_get(j, "items") : NULL;
	items = json_is_array(items) ? json_incref(items) : json_array();
	json_decref(j);
	return items;
}

static bool
same_field(const json_t *a, const json_t *b, const char *key)
{
	const char *x = field_text(a, key), *y = field_text(b, key);

	return x != NULL && y != NULL && strcmp(x, y) == 0;
}

/* Removes what was kept of the same two runs. */
static void
forget(json_t *items, const json_t *of)
{
	size_t i = json_array_size(items);
	const json_t *x;

	while (i-- > 0) {
		x = json_array_get(items, i);
		if (same_field(x, of, "before") && same_field(x, of, "after"))
			json_array_remove(items, i);
	}
}

static void
append(json_t *items, json_t *of, const json_t *item)
{
	static const char *const keys[] = { "rule", "where", "state",
		"predicted", "achieved" };
	json_t *o = json_copy(of);
	size_t i;

	for (i = 0; o != NULL && i < sizeof(keys) / sizeof(keys[0]); i++)
		json_object_set(o, keys[i], json_object_get(item, keys[i]));
	if (o != NULL)
		json_array_append_new(items, o);
}

void
verified_add(const json_t *before, const json_t *after,
    const json_t *outcome)
{
	json_t *of = json_pack("{s:O?, s:O?, s:O?}", "before",
	    json_object_get(before, "id"), "after", json_object_get(after,
	    "id"), "gpu", json_array_get(json_object_get(after, "devices"),
	    0));
	json_t *items = verified_load(), *whole;
	const json_t *item;
	char path[PATH_MAX];
	size_t i;

	forget(items, of);
	json_array_foreach(json_object_get(outcome, "items"), i, item)
		if (strcmp(or_unknown(field_text(item, "state")), "unknown") !=
		    0)
			append(items, of, item);
	while (json_array_size(items) > MOST)
		json_array_remove(items, 0);
	whole = json_pack("{s:i, s:O}", "cudadvise_verified", VERSION, "items",
	    items);
	if (whole != NULL && verified_path(path) == 0)
		json_file_write(path, whole, NULL);
	json_decref(whole);
	json_decref(items);
	json_decref(of);
}
