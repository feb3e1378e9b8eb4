#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/number.h"
#include "cli/table.h"
#include "cli/verified.h"
#include "report/text_util.h"
#include "rules/engine/proof.h"

#include "cli/command.h"

#include "cli/calibrate_report.h"

#define CELL_SIZE (2 * NUMBER_SIZE + 8)

/* "2.91 ×", "316 ms" */
static const char *
gain(char out[CELL_SIZE], const struct proof *p, double v)
{
	char number[NUMBER_SIZE];

	if (p->of_kernel)
		snprintf(out, CELL_SIZE, "%s", number_times(number, v));
	else
		snprintf(out, CELL_SIZE, "%s", number_seconds(number, v));
	return out;
}

static const char *
interval(char out[CELL_SIZE], const struct proof *p)
{
	char low[NUMBER_SIZE], high[NUMBER_SIZE];

	if (!p->of_kernel)
		return number_interval(out, p->predicted, p->low, p->high);
	snprintf(out, CELL_SIZE, "%s to %s", number_plain(low, p->low),
	    number_plain(high, p->high));
	return out;
}

static const char *
error_text(char out[CELL_SIZE], double error)
{
	char a[NUMBER_SIZE];

	snprintf(out, CELL_SIZE, "%s%s", error > 0 ? "+" : "",
	    number_percent(a, error));
	return out;
}

static void
add_row(struct table *t, const struct proof *p)
{
	char cell[CELL_SIZE];

	table_row(t);
	table_cell(t, 0, p->rule);
	table_cell(t, 1, gain(cell, p, p->predicted));
	table_cell(t, 2, interval(cell, p));
	table_cell(t, 3, gain(cell, p, p->achieved));
	table_cell(t, 4, error_text(cell, p->error));
}

/* Is ${a} from another GPU or day than ${p}? */
static bool
is_apart(const struct proof *a, const struct proof *p)
{

	return a->why != NULL || strcmp(a->gpu, p->gpu) != 0 ||
	    strcmp(a->date, p->date) != 0;
}

/* Prints rule ${first} and the later ones measured on the same GPU and day. -1
 * without memory. */
static int
print_group(struct cli *cli, size_t first)
{
	static const struct table_column columns[] = {
		{ "rule", 0 }, { "predicted", TABLE_RIGHT },
		{ "interval", TABLE_RIGHT }, { "achieved", TABLE_RIGHT },
		{ "error", TABLE_RIGHT },
	};
	const struct proof *group = proof_of(first), *p;
	struct table *t;
	size_t i;
	int rc;

	out_format(&cli->out, "%s, %s\n", group->gpu, group->date);
	t = table_new(&cli->out, columns, 5);
	for (i = first; (p = proof_of(i)) != NULL; i++)
		if (!is_apart(p, group))
			add_row(t, p);
	rc = table_print(t);
	table_free(t);
	out_format(&cli->out, "\n");
	return rc;
}

static bool
is_first(size_t i)
{
	size_t k;

	for (k = 0; k < i; k++)
		if (!is_apart(proof_of(k), proof_of(i)))
			return false;
	return true;
}

static void
print_rest(struct cli *cli)
{
	struct out *o = &cli->out;
	const struct proof *p;
	char a[NUMBER_SIZE];
	double median;
	size_t i, n;

	median = proof_median(&n);
	out_format(o, "A kernel's gain is its speed-up, a run's the seconds "
	    "saved; %zu pairs, median error %s.\n", n,
	    number_percent(a, median));
	out_format(o, "\nNot compared:\n");
	for (i = 0; (p = proof_of(i)) != NULL; i++)
		if (p->why != NULL) {
			out_spaces(o, 2);
			out_cell(o, p->rule, 32);
			out_format(o, "%s\n", p->why);
		}
}

/* --- the user's own changes ----------------------------------------------------- */

/* The number of rows of ${own} with ${rule} (NULL: any) and ${state}. */
static size_t
own_count(const json_t *own, const char *rule, const char *state)
{
	const json_t *x;
	size_t i, n = 0;

	json_array_foreach((json_t *)own, i, x)
		n += strcmp(or_unknown(field_text(x, "state")), state) == 0 &&
		    (rule == NULL || strcmp(or_unknown(field_text(x, "rule")),
		    rule) == 0);
	return n;
}

/* Has a row before ${at} covered its rule? */
static bool
own_told(const json_t *own, size_t at)
{
	const char *rule = or_unknown(field_text(json_array_get(own, at),
	    "rule"));
	size_t i;

	for (i = 0; i < at; i++)
		if (strcmp(or_unknown(field_text(json_array_get(own, i),
		    "rule")), rule) == 0)
			return true;
	return false;
}

static void
print_own(struct cli *cli)
{
	json_t *own = verified_load(), *x;
	struct out *o = &cli->out;
	const char *rule;
	size_t i;

	if (json_array_size(own) > 0)
		out_format(o, "\nYour own changes (cudadvise verify): %zu "
		    "predictions, %zu kept, %zu partly, %zu missed\n",
		    json_array_size(own), own_count(own, NULL, "kept"),
		    own_count(own, NULL, "partly"), own_count(own, NULL,
		    "missed"));
	json_array_foreach(own, i, x) {
		if (own_told(own, i))
			continue;
		rule = or_unknown(field_text(x, "rule"));
		out_spaces(o, 2);
		out_cell(o, rule, 32);
		out_format(o, "%zu kept, %zu partly, %zu missed\n",
		    own_count(own, rule, "kept"), own_count(own, rule,
		    "partly"), own_count(own, rule, "missed"));
	}
	json_decref(own);
}

static json_t *
number_or_null(double v)
{

	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *
to_json(void)
{
	json_t *items = json_array();
	const struct proof *p;
	double median;
	size_t i, n;

	median = proof_median(&n);
	for (i = 0; (p = proof_of(i)) != NULL; i++)
		json_array_append_new(items, json_pack(
		    "{s:s, s:s?, s:s?, s:o, s:o, s:o, s:o, s:o, s:s?, s:s?}",
		    "rule", p->rule, "why_not", p->why,
		    "of", p->why != NULL ? NULL :
		    p->of_kernel ? "kernel" : "run",
		    "predicted", number_or_null(p->predicted),
		    "low", number_or_null(p->low),
		    "high", number_or_null(p->high),
		    "achieved", number_or_null(p->achieved),
		    "error_ratio", number_or_null(p->error),
		    "gpu", p->gpu, "date", p->date));
	return json_pack("{s:o, s:o, s:o}", "items", items,
	    "median_error_ratio", number_or_null(median), "own",
	    verified_load());
}

int
calibrate_report(struct cli *cli)
{
	struct error e = ERROR_INIT;
	const struct proof *p;
	size_t i;

	if (cli->opt.json)
		return cli_json(cli, to_json());
	for (i = 0; (p = proof_of(i)) != NULL; i++) {
		if (p->why != NULL || !is_first(i) || print_group(cli, i) == 0)
			continue;
		error_memory(&e);
		return cli_error(cli, &e);
	}
	print_rest(cli);
	print_own(cli);
	return 0;
}
