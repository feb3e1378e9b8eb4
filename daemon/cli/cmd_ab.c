#include <string.h>

#include "cli/samples.h"
#include "compare/conditions.h"

#include "cli/command.h"

/* Index of the "--" between both sides; ${argc} if there is none. */
static int
find_dashes(int argc, char **argv)
{
	int i;

	for (i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		;
	return i;
}

static int
two_sides(struct error *e)
{

	error_set(e, "ab needs two sides");
	return error_remedy(e, "cudadvise ab BEFORE AFTER, or cudadvise ab -- "
	    "PROGRAM -- PROGRAM");
}

/* Loads recorded runs for both sides. */
static int
collect(struct cli *cli, struct sample_set side[SIDES], int argc, char **argv,
    struct error *e)
{
	int at = find_dashes(argc, argv), i;

	if (at == argc) {
		if (argc != 2)
			return two_sides(e);
		return samples_load(cli, &side[BASE], argv[0], e) != 0 ? -1 :
		    samples_load(cli, &side[TARGET], argv[1], e);
	}
	for (i = 0; i < argc; i++)
		if (i != at && samples_load(cli, &side[i > at], argv[i], e) !=
		    0)
			return -1;
	return side[BASE].n > 0 && side[TARGET].n > 0 ? 0 : two_sides(e);
}

/* Runs one program without and with --env, or with each of two. */
static int
run_environments(struct cli *cli, struct sample_set side[SIDES], int argc,
    char **argv, struct error *e)
{
	char **program[SIDES] = { argv, argv };
	const char *const *env = cli->opt.env;

	if (!cli->opt.dashes || find_dashes(argc, argv) != argc) {
		error_set(e, "ab --env compares one program with itself");
		return error_remedy(e, "cudadvise ab --env NAME=VALUE -- "
		    "PROGRAM [ARGUMENT...]");
	}
	side[BASE].env = env[1] != NULL ? env[0] : NULL;
	side[TARGET].env = env[1] != NULL ? env[1] : env[0];
	return samples_interleave(cli, side, program, e);
}

/* Runs two programs: the arguments of the first end at "--". */
static int
run_both(struct cli *cli, struct sample_set side[SIDES], int argc, char **argv,
    struct error *e)
{
	int at = find_dashes(argc, argv);
	char **program[SIDES] = { argv, argv + at + 1 };

	if (at == 0 || at + 1 >= argc)
		return two_sides(e);
	argv[at] = NULL;
	return samples_interleave(cli, side, program, e);
}

int
cmd_ab(struct cli *cli, int argc, char **argv)
{
	struct sample_set side[SIDES] = { SAMPLES_INIT, SAMPLES_INIT };
	struct trial_ask ask = TRIAL_ASK_INIT;
	struct error e = ERROR_INIT;
	json_t *trial = NULL;
	int status = EXIT_USAGE, rc;

	rc = cli->opt.env[0] != NULL ? run_environments(cli, side, argc, argv,
	    &e) : cli->opt.dashes ? run_both(cli, side, argc, argv, &e) :
	    collect(cli, side, argc, argv, &e);
	ask.margin = cli->opt.margin > 0 ? cli->opt.margin : ask.margin;
	ask.allowed = cli->opt.allowed;
	if (cli->opt.dashes)	/* the arguments are what is compared */
		ask.allowed |= 1u << CONDITION_ARGUMENTS;
	if (cli->opt.env[0] != NULL)
		ask.allowed |= 1u << CONDITION_ENVIRONMENT;
	if (rc == 0) {
		struct trial_set set[SIDES] = { samples_set(&side[BASE]),
			samples_set(&side[TARGET]) };

		if ((trial = trial_judge(set, &ask)) == NULL)
			error_memory(&e);
	}
	if (trial == NULL)
		cli_error(cli, &e);
	else
		status = cli_trial(cli, trial);
	json_decref(trial);
	samples_release(&side[BASE]);
	samples_release(&side[TARGET]);
	return status;
}
