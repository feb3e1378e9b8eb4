#include <string.h>

#include "cli/client.h"
#include "cli/samples.h"
#include "cli/view.h"
#include "report/text_util.h"

#include "cli/command.h"

#define LOOK_BACK 50		/* number of runs to search for the run before */

/* The run before ${v}, with the same command if there is one; 0: none. */
static uint64_t
run_before(struct cli *cli, const struct view *v)
{
	const char *command = or_unknown(field_text(v->run, "command"));
	uint64_t self = field_count(v->run, "number"), number, any = 0;
	struct error e = ERROR_INIT;
	json_t *runs = client_items(cli->client, "/runs", LOOK_BACK, &e);
	const json_t *run;
	size_t i;

	json_array_foreach(runs, i, run) {
		number = field_count(run, "number");
		if (number >= self ||
		    strcmp(or_unknown(field_text(run, "state")), "live") == 0)
			continue;
		if (strcmp(or_unknown(field_text(run, "command")),
		    command) == 0) {
			any = number;
			break;
		}
		if (any == 0)
			any = number;
	}
	json_decref(runs);
	return any;
}

/* Are both the same run? Then AFTER was left out, and BEFORE is the newest. */
static bool
is_same(const struct view *base, const struct view *target)
{
	const char *a = field_text(base->run, "id"),
	    *b = field_text(target->run, "id");

	return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static int
no_after(struct cli *cli, const struct view *newest, struct error *e)
{
	uint64_t before = run_before(cli, newest);

	error_set(e, "run %s is the newest run: there is none after it to "
	    "compare it with", newest->name);
	if (before == 0)
		return error_remedy(e, "run the changed program first: "
		    "cudadvise run PROGRAM");
	return error_remedy(e, "run the changed program first, or name both: "
	    "cudadvise compare %llu %s", (unsigned long long)before,
	    newest->name);
}

/* The comparison, with the verdict of `ab` for one run per side; NULL with ${e} set. */
static json_t *
judge(struct cli *cli, const struct view *base, const struct view *target,
    struct error *e)
{
	struct sample_set s = SAMPLES_INIT;
	struct trial_set set;
	json_t *compare = NULL;

	if (samples_view(cli, &s, base, e) == 0 &&
	    samples_view(cli, &s, target, e) == 0) {
		set = samples_set(&s);
		if (set.runs == SIDES)
			compare = trial_compare(&set.run[BASE],
			    &set.run[TARGET], cli->opt.allowed);
		if (compare == NULL)
			error_memory(e);
	}
	samples_release(&s);
	return compare;
}

int
cmd_compare(struct cli *cli, int argc, char **argv)
{
	struct error e = ERROR_INIT;
	struct view base, target;
	json_t *compare;
	int status = 0;

	if (view_load(cli, argv[0], &base, &e) != 0)
		return cli_error(cli, &e);
	if (view_load(cli, argc > 1 ? argv[1] : NULL, &target, &e) != 0) {
		view_release(&base);
		return cli_error(cli, &e);
	}
	if (argc == 1 && is_same(&base, &target)) {
		no_after(cli, &target, &e);
		view_release(&target);
		view_release(&base);
		return cli_error(cli, &e);
	}
	if ((compare = judge(cli, &base, &target, &e)) == NULL) {
		status = cli_error(cli, &e);
	} else if (cli->opt.json) {
		status = cli_json(cli, json_incref(compare));
	} else {
		text_compare_head(&cli->out, compare, base.name, target.name);
		text_verdict(&cli->out, json_object_get(compare, "trial"));
		out_line(&cli->out);
		text_compare(&cli->out, compare);
	}
	json_decref(compare);
	view_release(&target);
	view_release(&base);
	return status;
}
