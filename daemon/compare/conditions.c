/*
 * compare/conditions.c: see conditions.h.
 */
#include <stdio.h>
#include <string.h>

#include "report/json_util.h"
#include "report/text_util.h"

#include "compare/conditions.h"

#define TEXT_SIZE 512
#define SHOWN 80		/* bytes of a value in a sentence */

const char *const condition_name[CONDITIONS] = {
#define CONDITION(id, name, help) [CONDITION_##id] = name,
#include "compare/condition.def"
};

int
conditions_parse(const char *text, uint32_t *allowed)
{
	const char *p;
	size_t n, i;

	*allowed = 0;
	for (p = text; p != NULL; p = p[n] == ',' ? p + n + 1 : NULL) {
		n = strcspn(p, ",");
		for (i = 0; i < CONDITIONS; i++)
			if (strlen(condition_name[i]) == n &&
			    memcmp(condition_name[i], p, n) == 0)
				break;
		if (i == CONDITIONS)
			return -1;
		*allowed |= 1u << i;
	}
	return 0;
}

/* Length of the program's name in a command line, as `run` wrote it: in quotes if it
 * needs them. */
static size_t
program_length(const char *command)
{
	bool quoted = false;
	const char *p;

	for (p = command; *p != '\0' && (quoted || *p != ' '); p++)
		if (*p == '\'')
			quoted = !quoted;
	return (size_t)(p - command);
}

static json_t *
copy_of(const json_t *from, const char *key)
{
	json_t *v = json_object_get(from, key);

	return v != NULL ? json_incref(v) : json_null();
}

/* The largest value of ${key} in any process; null if none has it. */
static json_t *
of_processes(const json_t *processes, const char *key)
{
	const json_t *p;
	uint64_t most = 0;
	size_t i;

	json_array_foreach(processes, i, p)
		if (field_count(p, key) > most)
			most = field_count(p, key);
	return most > 0 ? json_count(most) : json_null();
}

/* The UUIDs of the GPUs that were busy. */
static json_t *
gpus_json(const json_t *devices)
{
	json_t *list = json_array();
	const json_t *d;
	size_t i;

	json_array_foreach(devices, i, d)
		if (field_count(d, "busy_ns") > 0)
			json_array_append(list, json_object_get(d, "uuid"));
	return list;
}

static bool
is_used(const json_t *devices, const json_t *seen)
{
	const json_t *d;
	size_t i;

	json_array_foreach(devices, i, d)
		if (field_count(d, "busy_ns") > 0 && json_equal(
		    json_object_get(d, "uuid"), json_object_get(seen, "uuid")))
			return true;
	return false;
}

/* The observations of the GPUs that the run used; of all GPUs if it is not known which
 * it used. */
static json_t *
watched_json(const json_t *devices, const json_t *watched)
{
	json_t *gpus = json_array(), *throttled = json_null(), *seen;
	uint64_t others = 0;
	bool any = false;
	size_t i;

	json_array_foreach(watched, i, seen)
		any = any || is_used(devices, seen);
	json_array_foreach(watched, i, seen) {
		if (any && !is_used(devices, seen))
			continue;
		json_array_append(gpus, seen);
		if (field_count(seen, "others") > others)
			others = field_count(seen, "others");
		if (json_is_null(throttled) && field_text(seen, "throttled") !=
		    NULL)
			throttled = json_object_get(seen, "throttled");
	}
	if (json_array_size(gpus) == 0) {
		json_decref(gpus);
		return json_null();
	}
	return json_pack("{s:O, s:o, s:o}", "throttled", throttled, "others",
	    json_count(others), "gpus", gpus);
}

/* The power limits of the GPUs that were used; null if one of them is not known. */
static json_t *
limits_json(const json_t *watched)
{
	json_t *list = json_array(), *gpu, *limit;
	size_t i;

	json_array_foreach(json_object_get(watched, "gpus"), i, gpu) {
		limit = json_object_get(gpu, "power_limit_w");
		if (!json_is_number(limit)) {
			json_decref(list);
			return json_null();
		}
		json_array_append(list, limit);
	}
	if (json_array_size(list) > 0)
		return list;
	json_decref(list);
	return json_null();
}

json_t *
conditions_of(const json_t *run, const json_t *processes,
    const json_t *devices)
{
	const json_t *recorded = json_object_get(run, "conditions");
	json_t *watched = watched_json(devices, json_object_get(recorded,
	    "gpus"));
	const char *command = field_text(run, "command");
	const char *state = or_unknown(field_text(run, "state"));
	json_t *data = json_object_get(run, "data"), *lost;
	size_t n = command != NULL ? program_length(command) : 0;
	bool complete;

	lost = json_object_get(data, "lost");
	complete = strcmp(state, "finished") == 0 &&
	    (lost == NULL || json_integer_value(lost) == 0);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o,"
	    "s:b, s:b, s:o, s:o, s:o, s:o, s:o}",
	    "gpu", copy_of(run, "devices"),
	    "gpu_id", gpus_json(devices),
	    "driver", of_processes(processes, "driver_version"),
	    "cupti", of_processes(processes, "cupti_version"),
	    "level", copy_of(run, "level"),
	    "program", command != NULL ? json_stringn(command, n) : json_null(),
	    "arguments", command != NULL ? json_text(command + n +
	    strspn(command + n, " ")) : json_null(),
	    "exit_code", copy_of(run, "exit_code"),
	    "signal", copy_of(run, "signal"),
	    "host", copy_of(run, "host"),
	    "started_at", copy_of(run, "started_at"),
	    "complete", complete,
	    "checked", json_array_size(json_object_get(run, "checks")) > 0,
	    "watched", watched,
	    "environment", copy_of(recorded, "environment"),
	    "governor", copy_of(recorded, "governor"),
	    "power_limit_w", limits_json(watched),
	    "program_hash", copy_of(recorded, "program_hash"));
}

/* Append a reason, unless it is allowed or in the list already. */
static void
say(json_t *out, enum condition what, uint32_t allowed, const char *text)
{
	json_t *reason = json_pack("{s:s, s:o}", "code", condition_name[what],
	    "text", json_text(text)), *said;
	bool again = (allowed & 1u << what) != 0;
	size_t i;

	json_array_foreach(out, i, said)
		again = again || json_equal(said, reason);
	if (!again)
		json_array_append(out, reason);
	json_decref(reason);
}

void
conditions_check(json_t *out, const json_t *c, uint32_t allowed)
{
	const json_t *watched = json_object_get(c, "watched");
	char text[TEXT_SIZE], n[NUMBER_SIZE];
	const char *why = field_text(watched, "throttled");

	if (json_is_false(json_object_get(c, "complete")))
		say(out, CONDITION_INCOMPLETE, allowed, "a part of what a run "
		    "did was not recorded");
	if (field_true(c, "checked"))
		say(out, CONDITION_CHECKED, allowed, "a run was checked for "
		    "errors, which takes many times as long");
	if (field_count(c, "exit_code") != 0) {
		snprintf(text, sizeof(text), "the program failed: exit status "
		    "%s", number_count(n, field_count(c, "exit_code")));
		say(out, CONDITION_END, allowed, text);
	}
	if (field_count(c, "signal") != 0) {
		snprintf(text, sizeof(text), "signal %s ended the program",
		    number_count(n, field_count(c, "signal")));
		say(out, CONDITION_END, allowed, text);
	}
	if (why != NULL) {
		snprintf(text, sizeof(text), "the GPU lowered its clocks during "
		    "a run: %.200s", why);
		say(out, CONDITION_THROTTLED, allowed, text);
	}
	if (field_count(watched, "others") > 0) {
		snprintf(text, sizeof(text), "%s used the GPU during a run",
		    number_of(n, (double)field_count(watched, "others"),
		    "other program"));
		say(out, CONDITION_SHARED, allowed, text);
	}
}

/* A JSON value as text for a sentence. */
static void
value_text(char *out, size_t size, const json_t *v)
{
	char *text;

	if (json_is_string(v)) {
		snprintf(out, size, "'%.*s'", SHOWN, json_string_value(v));
		return;
	}
	text = json_dumps(v, JSON_ENCODE_ANY);
	snprintf(out, size, "%.*s", SHOWN, text != NULL ? text : "?");
	free(text);
}

/* Report the environment variables that differ, by name. */
static void
environment_differs(json_t *out, const json_t *base, const json_t *target,
    uint32_t allowed)
{
	const json_t *x = json_object_get(base, "environment"),
	    *y = json_object_get(target, "environment");
	const json_t *side[2] = { x, y };
	char text[TEXT_SIZE] = "";
	const char *name;
	json_t *v;
	size_t n = 0, i;

	if (!json_is_object(x) || !json_is_object(y) || json_equal(x, y))
		return;
	for (i = 0; i < 2; i++)
		json_object_foreach((json_t *)side[i], name, v) {
			if (json_equal(json_object_get(x, name),
			    json_object_get(y, name)) || (i == 1 &&
			    json_object_get(x, name) != NULL))
				continue;
			if (n < TEXT_SIZE)
				n += (size_t)snprintf(text + n, sizeof(text) -
				    n, "%s%.*s", n > 0 ? ", " :
				    "the environments differ: ", SHOWN, name);
		}
	say(out, CONDITION_ENVIRONMENT, allowed, text);
}

bool
conditions_other_program(char *out, size_t size, const json_t *base,
    const json_t *target)
{
	const char *a = field_text(base, "program");
	const char *b = field_text(target, "program");

	if (a == NULL || b == NULL || strcmp(text_base_name(a), text_base_name(b)) == 0)
		return false;
	if (out != NULL)
		snprintf(out, size, "another program: %.*s and %.*s", SHOWN, a,
		    SHOWN, b);
	return true;
}

bool
conditions_one_program(const json_t *base, const json_t *target,
    uint32_t allowed)
{

	return (allowed & 1u << CONDITION_PROGRAM) != 0 ||
	    !conditions_other_program(NULL, 0, base, target);
}

void
conditions_differ(json_t *out, const json_t *base, const json_t *target,
    uint32_t allowed, bool common)
{
	static const struct {
		enum condition what;
		const char *key, *text;
	} same[] = {
		{ CONDITION_GPU, "gpu", "the runs were on different GPUs" },
		{ CONDITION_DRIVER, "driver", "the drivers differ" },
		{ CONDITION_DRIVER, "cupti", "the versions of CUPTI differ" },
		{ CONDITION_LEVEL, "level", "the runs were measured at "
		    "different levels" },
		{ CONDITION_ARGUMENTS, "arguments", "the program's arguments "
		    "differ" },
		{ CONDITION_POWER, "power_limit_w", "the GPUs' power limits "
		    "differ" },
		{ CONDITION_GOVERNOR, "governor", "the CPU's governors differ" },
		{ CONDITION_END, "exit_code", "the programs ended with "
		    "different exit statuses" },
	};
	char text[TEXT_SIZE], a[SHOWN + 8], b[SHOWN + 8];
	const json_t *x, *y;
	size_t i;

	if (!common && !conditions_one_program(base, target, allowed)) {
		conditions_other_program(text, sizeof(text), base, target);
		say(out, CONDITION_PROGRAM, allowed, text);
		/* Another program's arguments mean other things. */
		allowed |= 1u << CONDITION_ARGUMENTS;
	}
	environment_differs(out, base, target, allowed);
	for (i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		x = json_object_get(base, same[i].key);
		y = json_object_get(target, same[i].key);
		/* A value that one of them lacks is no difference. */
		if (x == NULL || y == NULL || json_is_null(x) ||
		    json_is_null(y) || json_equal(x, y))
			continue;
		value_text(a, sizeof(a), x);
		value_text(b, sizeof(b), y);
		snprintf(text, sizeof(text), "%s: %s and %s", same[i].text, a,
		    b);
		say(out, same[i].what, allowed, text);
	}
}
