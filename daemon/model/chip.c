/*
 * model/chip.c: see chip.h.
 */
#include <jansson.h>
#include <string.h>

#include "base/embed.h"
#include "model/ceilings.h"
#include "model/chip.h"
#include "model/model.h"

/* CHIP(name, path): a file of config/chips; the build lists them. */
#define CHIP(name, path) EMBED(cadv_chip_##name, path);
#include "chips.def"
#undef CHIP

static const struct {
	const char *json, *end;
} chip[] = {
#define CHIP(name, path) { cadv_chip_##name, cadv_chip_##name##_end },
#include "chips.def"
#undef CHIP
};

static bool
is_model(const json_t *root, const struct device *d)
{
	const char *name = json_string_value(json_object_get(root, "gpu"));
	const struct record_DEVICE *l = &d->limits;

	/* The number of SMs tells a whole GPU from a slice of it. */
	return (name != NULL && d->name != NULL && strcmp(name, d->name) == 0 &&
	    json_integer_value(json_object_get(root, "cc_major")) ==
	    l->cc_major &&
	    json_integer_value(json_object_get(root, "cc_minor")) ==
	    l->cc_minor &&
	    json_integer_value(json_object_get(root, "sms")) == l->sms);
}

bool
chip_ceilings(struct ceilings *c, const struct device *d)
{
	struct ceilings own = *c;
	bool found = false;
	json_t *root;
	size_t i, n;

	for (i = 0; i < sizeof(chip) / sizeof(chip[0]) && !found; i++) {
		n = (size_t)(chip[i].end - chip[i].json);
		root = json_loadb(chip[i].json, n, 0, NULL);
		found = is_model(root, d) &&
		    ceilings_parse(&own, chip[i].json, n) == 0;
		json_decref(root);
	}
	if (!found)
		return (false);
	own.shipped = own.measured;
	own.measured = 0;
	own.calibrated = false;
	*c = own;
	return (true);
}
