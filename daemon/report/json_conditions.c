/* The conditions of a run. The launcher's JSON is part of the capture: only
 * known members with the right type and size are taken from it. */
#include <string.h>

#include "model/model.h"
#include "report/json_util.h"

#include "report/json.h"

#define GPUS_MOST 32
#define NAMES_MOST 64		/* variables of the environment */
#define TEXT_MOST 1024

static json_t *
text_of(const json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);

	return json_is_string(v) && json_string_length(v) <= TEXT_MOST ?
	    json_incref(v) : json_null();
}

/* A number ≥ 0; else null. */
static json_t *
number_of_key(const json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);

	return json_is_number(v) && json_number_value(v) >= 0 ?
	    json_incref(v) : json_null();
}

static json_t *
count_of(const json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);

	return json_is_integer(v) && json_integer_value(v) >= 0 ?
	    json_incref(v) : json_null();
}

static json_t *
span_of(const json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);

	return json_array_size(v) == 2 && json_is_number(json_array_get(v,
	    0)) && json_is_number(json_array_get(v, 1)) ? json_incref(v) :
	    json_null();
}

/* Did the run use the GPU with this id? */
static bool
is_used(const struct run *r, const json_t *uuid)
{
	const char *id = json_string_value(uuid);
	size_t i;

	for (i = 0; id != NULL && i < r->devices; i++)
		if (r->device[i].busy_ns > 0 && r->device[i].uuid != NULL &&
		    strcmp(r->device[i].uuid, id) == 0)
			return true;
	return false;
}

static json_t *
gpu_json(const struct run *r, const json_t *g)
{

	return json_pack("{s:b, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "used", is_used(r, json_object_get(g, "uuid")),
	    "uuid", text_of(g, "uuid"),
	    "throttled", text_of(g, "throttled"),
	    "power_capped", json_is_true(json_object_get(g, "power_capped")),
	    "others", count_of(g, "others"),
	    "sm_hz", span_of(g, "sm_hz"),
	    "celsius", count_of(g, "celsius"),
	    "performance_state", count_of(g, "performance_state"),
	    "power_limit_w", number_of_key(g, "power_limit_w"),
	    "pcie_generation", count_of(g, "pcie_generation"),
	    "pcie_lanes", count_of(g, "pcie_lanes"));
}

static json_t *
environment_json(const json_t *from)
{
	json_t *out, *v;
	const char *name;

	if (!json_is_object(from))
		return json_null();
	out = json_object();
	json_object_foreach((json_t *)from, name, v)
		if (json_is_string(v) && strlen(name) <= TEXT_MOST &&
		    json_string_length(v) <= TEXT_MOST &&
		    json_object_size(out) < NAMES_MOST)
			json_object_set(out, name, v);
	return out;
}

json_t *
json_conditions(const struct run *r)
{
	json_t *j = r->conditions != NULL ? json_loads(r->conditions, 0, NULL) :
	    NULL, *gpus = json_array(), *g, *out;
	size_t i;

	if (!json_is_object(j)) {
		json_decref(gpus);
		json_decref(j);
		return json_null();
	}
	json_array_foreach(json_object_get(j, "gpus"), i, g)
		if (i < GPUS_MOST && json_is_object(g))
			json_array_append_new(gpus, gpu_json(r, g));
	out = json_pack("{s:o, s:o, s:o, s:o, s:o}",
	    "gpus", gpus,
	    "driver", text_of(j, "driver"),
	    "governor", text_of(j, "governor"),
	    "environment", environment_json(json_object_get(j,
	    "environment")),
	    "program_hash", text_of(j, "program_hash"));
	json_decref(j);
	return out;
}
