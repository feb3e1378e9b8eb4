#include <string.h>

#include "cli/previous.h"
#include "cli/samples.h"
#include "cli/verified.h"
#include "compare/outcome.h"
#include "report/text_util.h"

#include "cli/command.h"

/* Loads BEFORE if only AFTER was given. */
static int
load_before(struct cli *cli, struct sample_set *before,
    const struct sample_set *after, bool newest, struct error *e)
{
	char ref[32];

	if (cli->client == NULL || !previous_run(cli, after->sample[0].run,
	    NULL, ref)) {
		error_set(e, "no earlier run of %s command (%.300s) is recorded",
		    newest ? "the newest run's" : "this run's",
		    or_unknown(field_text(after->sample[0].run, "command")));
		return error_remedy(e, "name both: cudadvise verify BEFORE "
		    "AFTER");
	}
	return samples_load(cli, before, ref, e);
}

/* If the conditions differ, the change cannot be credited with, or blamed for,
 * the difference. */
static int
status_of(const json_t *outcome)
{

	if (json_array_size(json_object_get(outcome, "reasons")) > 0)
		return EXIT_INCONCLUSIVE;
	if (field_count(outcome, "missed") > 0)
		return EXIT_WORSE;
	return field_count(outcome, "kept") + field_count(outcome, "partly") >
	    0 ? 0 : EXIT_INCONCLUSIVE;
}

int
cmd_verify(struct cli *cli, int argc, char **argv)
{
	struct sample_set side[SIDES] = { SAMPLES_INIT, SAMPLES_INIT };
	struct error e = ERROR_INIT;
	json_t *outcome = NULL;
	int status = EXIT_USAGE;

	if (samples_load(cli, &side[TARGET], argc > 0 ? argv[argc - 1] : NULL,
	    &e) == 0 && (argc == 2 ? samples_load(cli, &side[BASE], argv[0],
	    &e) : load_before(cli, &side[BASE], &side[TARGET], argc == 0, &e)) == 0) {
		struct trial_set set[SIDES] = { samples_set(&side[BASE]),
			samples_set(&side[TARGET]) };

		if (set[BASE].runs > 0 && set[TARGET].runs > 0)
			outcome = outcome_of(&set[BASE].run[0],
			    &set[TARGET].run[0], cli->opt.allowed);
		if (outcome == NULL)
			error_memory(&e);
	}
	if (outcome == NULL) {
		cli_error(cli, &e);
	} else {
		status = status_of(outcome);
		if (status != EXIT_INCONCLUSIVE)
			verified_add(side[BASE].sample[0].run,
			    side[TARGET].sample[0].run, outcome);
		if (cli->opt.json)
			cli_json(cli, json_incref(outcome));
		else
			text_outcome(&cli->out, outcome);
	}
	json_decref(outcome);
	samples_release(&side[BASE]);
	samples_release(&side[TARGET]);
	return status;
}
