#include "base/error.h"
#include "cli/samples.h"
#include "cli/view.h"
#include "compare/conditions.h"
#include "report/compare.h"

#include "cli/command.h"

/* Compares with --baseline. */
static int
hold_against(struct cli *cli, struct view *v, struct error *e)
{
	struct sample_set base = SAMPLES_INIT;
	const struct sample *first;
	json_t *conditions;
	int rc = samples_against(cli, &base, cli->opt.baseline, e);

	if (rc == 0) {
		first = &base.sample[0];
		struct compare_side sides[SIDES] = {
			{ first->run, first->findings, first->kernels },
			{ v->run, v->findings, v->kernels } };

		conditions = conditions_of(v->run, NULL, NULL);
		v->compare = compare_runs(&sides[BASE], &sides[TARGET],
		    conditions_one_program(first->conditions, conditions, 0));
		json_decref(conditions);
		v->was = json_incref(json_object_get(first->findings,
		    "items"));
		if (v->compare == NULL)
			rc = error_memory(e);
	}
	samples_release(&base);
	return rc;
}

int
cmd_show(struct cli *cli, int argc, char **argv)
{
	struct error e = ERROR_INIT;
	struct view v;
	int status;

	if (cli->opt.baseline != NULL && cli->opt.format != SHOWN_sarif) {
		error_set(&e, "--baseline goes with --format sarif");
		error_remedy(&e, "cudadvise gate and compare tell the others");
		cli_error(cli, &e);
		return EXIT_USAGE;
	}
	if (view_load(cli, argc > 0 ? argv[0] : NULL, &v, &e) != 0)
		return cli_error(cli, &e);
	if (cli->opt.baseline != NULL && hold_against(cli, &v, &e) != 0) {
		view_release(&v);
		return cli_error(cli, &e);
	}
	/* As for run: only errors, but a file that was asked for is written. */
	status = cli->opt.quiet && cli->output == NULL ? 0 :
	    view_print(cli, &v);
	view_release(&v);
	return status;
}
