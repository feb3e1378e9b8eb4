#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "model/model.h"
#include "report/text_util.h"

#include "report/ending.h"

size_t
unended_processes(const struct run *r)
{
	size_t n = 0, i;

	if (r->state == RUN_LIVE)
		return 0;
	for (i = 0; i < r->processes; i++)
		n += !r->process[i].ended;
	return n;
}

bool
ending_text(char out[ENDING_SIZE], const json_t *run)
{
	const char *state = field_text(run, "state");
	const json_t *sig = json_object_get(run, "signal");
	const json_t *code = json_object_get(run, "exit_code");
	uint64_t unended = field_count(json_object_get(run, "data"), "unended");
	char a[NUMBER_SIZE];

	if (state == NULL)
		return false;
	if (strcmp(state, "live") == 0)
		snprintf(out, ENDING_SIZE, "The program is still running: "
		    "what follows is what is known so far.");
	else if (json_is_integer(sig))
		snprintf(out, ENDING_SIZE, "The program was killed by signal "
		    "%d: what it had flushed by then is here.",
		    (int)json_integer_value(sig));
	else if (strcmp(state, "finished") != 0)
		snprintf(out, ENDING_SIZE, "The record of this run ends "
		    "early (%.40s): how much is missing is not known.", state);
	else if (unended > 0)
		snprintf(out, ENDING_SIZE, "The record of %s ends early (it "
		    "was killed, or the capture was cut): how much is missing "
		    "is not known.", number_of(a, (double)unended, "process"));
	else if (json_integer_value(code) != 0)
		snprintf(out, ENDING_SIZE, "The program exited with %d.",
		    (int)json_integer_value(code));
	else
		return false;
	return true;
}
