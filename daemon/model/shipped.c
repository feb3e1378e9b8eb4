/*
 * model/shipped.c: see shipped.h.
 */
#include <jansson.h>
#include <string.h>

#include "base/embed.h"
#include "model/ceilings.h"
#include "model/model.h"
#include "model/shipped.h"

/* SHIPPED(name, path): a file of config/chips; the build lists them. */
#define SHIPPED(name, path) EMBED(cadv_shipped_##name, path);
#include "shipped.def"

static const struct {
	const char *json, *end;
} shipped[] = {
#define SHIPPED(name, path) { cadv_shipped_##name, cadv_shipped_##name##_end },
#include "shipped.def"
};

static bool
is_model(const json_t *root, const struct device *d)
{
	const char *name = json_string_value(json_object_get(root, "gpu"));
	const struct record_DEVICE *l = &d->limits;

	/* The number of SMs distinguishes a whole GPU from a MIG slice. */
	return name != NULL && d->name != NULL && strcmp(name, d->name) == 0 &&
	    json_integer_value(json_object_get(root, "cc_major")) ==
	    l->cc_major &&
	    json_integer_value(json_object_get(root, "cc_minor")) ==
	    l->cc_minor &&
	    json_integer_value(json_object_get(root, "sms")) == l->sms;
}

bool
shipped_ceilings(struct ceilings *c, const struct device *d)
{
	struct ceilings own = *c;
	bool found = false;
	json_t *root;
	size_t i, n;

	for (i = 0; i < sizeof(shipped) / sizeof(shipped[0]) && !found; i++) {
		n = (size_t)(shipped[i].end - shipped[i].json);
		root = json_loadb(shipped[i].json, n, 0, NULL);
		found = is_model(root, d) &&
		    ceilings_parse(&own, shipped[i].json, n) == 0;
		json_decref(root);
	}
	if (!found)
		return false;
	own.shipped = own.measured;
	own.measured = 0;
	own.calibrated = false;
	*c = own;
	return true;
}

bool
shipped_model(const char *name)
{
	bool found = false;
	json_t *root;
	size_t i;

	for (i = 0; i < sizeof(shipped) / sizeof(shipped[0]) && !found; i++) {
		root = json_loadb(shipped[i].json, (size_t)(shipped[i].end -
		    shipped[i].json), 0, NULL);
		found = json_is_string(json_object_get(root, "gpu")) &&
		    strcmp(json_string_value(json_object_get(root, "gpu")),
		    name) == 0;
		json_decref(root);
	}
	return found;
}
