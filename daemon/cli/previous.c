#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/command.h"
#include "report/text_util.h"

#include "cli/previous.h"

#define PREVIOUS_AMONG 100	/* runs, searched for the previous one */

bool
previous_run(struct cli *cli, const json_t *run, const json_t *but,
    char ref[32])
{
	const json_t *traced = json_object_get(but, "id");
	json_t *runs = client_items(cli->client, "/runs", PREVIOUS_AMONG, NULL);
	json_int_t number = json_integer_value(json_object_get(run, "number"));
	const json_t *r;
	bool found = false;
	size_t i;

	json_array_foreach(runs, i, r) {
		json_int_t n = json_integer_value(json_object_get(r, "number"));
		const char *state = field_text(r, "state");

		if (found || n <= 0 || n >= number || state == NULL ||
		    strcmp(state, "finished") != 0 ||
		    json_array_size(json_object_get(r, "checks")) > 0 ||
		    (traced != NULL && json_equal(traced,
		    json_object_get(r, "id"))) ||
		    !json_equal(json_object_get(r, "command"),
		    json_object_get(run, "command")) ||
		    !json_equal(json_object_get(r, "cwd"),
		    json_object_get(run, "cwd")) ||
		    !json_equal(json_object_get(r, "exit_code"),
		    json_object_get(run, "exit_code")))
			continue;
		snprintf(ref, 32, "%lld", (long long)n);
		found = true;
	}
	json_decref(runs);
	return found;
}
