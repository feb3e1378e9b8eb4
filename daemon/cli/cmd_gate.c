#include <string.h>

#include "cli/baseline.h"
#include "cli/samples.h"
#include "compare/conditions.h"
#include "compare/outcome.h"
#include "report/text_util.h"
#include "wire/level.h"

#include "cli/command.h"

static int
load_base(struct cli *cli, struct sample_set *s, struct error *e)
{
	const char *name = cli->opt.baseline;

	if (name == NULL) {
		error_set(e, "gate needs --baseline NAME");
		return error_remedy(e, "cudadvise baseline save NAME keeps a "
		    "run; a capture file will do too");
	}
	return samples_against(cli, s, name, e);
}

/* Without --level the program is measured at the level of its baseline. */
static void
choose_level(struct cli *cli, const struct sample_set *base)
{
	const char *level = or_unknown(field_text(base->sample[0].conditions,
	    "level"));
	unsigned i;

	for (i = 1; cli->opt.level == 0 && level_word(i) != NULL; i++)
		if (strcmp(level_word(i), level) == 0)
			cli->opt.level = i;
}

static int
load_target(struct cli *cli, struct sample_set side[SIDES], int argc,
    char **argv, struct error *e)
{
	char **program[SIDES] = { NULL, argv };
	int i;

	if (cli->opt.dashes && argc > 0) {
		choose_level(cli, &side[BASE]);
		return samples_interleave(cli, side, program, e);
	}
	if (argc == 0)
		return samples_load(cli, &side[TARGET], NULL, e);
	for (i = 0; i < argc; i++)
		if (samples_load(cli, &side[TARGET], argv[i], e) != 0)
			return -1;
	return 0;
}

static const char *
program_of(const struct trial_set *set)
{

	return or_unknown(field_text(set->run[0].conditions, "program"));
}

/* A baseline of another program is a usage error, not a result. */
static bool
is_other_program(const json_t *trial)
{

	return trial_has_reason(trial, condition_name[CONDITION_PROGRAM]);
}

/* May findings be compared although times may not? Yes under a correctness
 * tool, where kernels have no times. */
static bool
findings_count(const json_t *trial)
{
	size_t of_times = (size_t)trial_has_reason(trial, condition_name[
	    CONDITION_CHECKED]) + trial_has_reason(trial, "no-kernels");

	return json_array_size(json_object_get(trial, "reasons")) == of_times;
}

static json_t *
judge(struct cli *cli, struct sample_set side[SIDES], struct error *e)
{
	static const char *const severity[] = { "medium", "low", "medium",
		"high", NULL };
	const char *least = severity[cli->opt.fail_on];
	struct trial_ask ask = TRIAL_ASK_INIT;
	struct trial_set set[SIDES] = { samples_set(&side[BASE]),
		samples_set(&side[TARGET]) };
	json_t *trial;

	ask.margin = cli->opt.margin > 0 ? cli->opt.margin : ask.margin;
	ask.allowed = cli->opt.allowed;
	if ((trial = trial_judge(set, &ask)) == NULL) {
		error_memory(e);
		return NULL;
	}
	if (is_other_program(trial)) {
		error_set(e, "baseline '%.200s' is of another program: %.200s",
		    cli->opt.baseline, program_of(&set[BASE]));
		error_remedy(e, "cudadvise baseline save NAME keeps a run of "
		    "this one");
		json_decref(trial);
		return NULL;
	}
	/* A slower program fails anyway: then even minor causes are listed. */
	if (least != NULL && trial_verdict(trial) == VERDICT_SLOWER)
		least = "low";
	json_object_set_new(trial, "new", least != NULL ? outcome_new(
	    &set[BASE].run[0], &set[TARGET].run[0], least) : json_array());
	return trial;
}

int
cmd_gate(struct cli *cli, int argc, char **argv)
{
	struct sample_set side[SIDES] = { SAMPLES_INIT, SAMPLES_INIT };
	struct error e = ERROR_INIT;
	json_t *trial = NULL;
	const json_t *found;
	int status = EXIT_USAGE;

	if (load_base(cli, &side[BASE], &e) == 0 &&
	    load_target(cli, side, argc, argv, &e) == 0)
		trial = judge(cli, side, &e);
	if (trial != NULL) {
		found = json_object_get(trial, "new");
		status = cli_trial(cli, trial);
		if (!cli->opt.json)
			text_new(&cli->out, found);
		/* New findings count whatever the times, but not under other
		 * conditions. */
		if (json_array_size(found) > 0 && findings_count(trial))
			status = EXIT_WORSE;
	} else {
		cli_error(cli, &e);
	}
	json_decref(trial);
	samples_release(&side[BASE]);
	samples_release(&side[TARGET]);
	return status;
}
