#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number.h"
#include "cli/command.h"
#include "cli/launch.h"
#include "cli/view.h"
#include "report/json_util.h"
#include "report/text_util.h"

#include "cli/twice.h"

#define KERNELS_SHOWN 8
#define TIME_COLUMNS 10

int
twice_check(struct twice *t, struct error *e)
{

	t->input = lseek(STDIN_FILENO, 0, SEEK_CUR);
	t->terminal = isatty(STDIN_FILENO) == 1;
	/* A closed one is closed for both runs. */
	if (t->input >= 0 || t->terminal || fcntl(STDIN_FILENO, F_GETFD) < 0)
		return 0;
	error_set(e, "--twice: the standard input comes through a pipe, which "
	    "can be read once only");
	return error_remedy(e, "give it as a file (< FILE), or < /dev/null if "
	    "the program reads none");
}

void
twice_second(const struct twice *t, struct launch *l)
{

	l->no_output = true;
	/* A user who typed input for the first run is not asked again: the
	 * prompt would be invisible. */
	l->no_input = t->terminal || (t->input >= 0 &&
	    lseek(STDIN_FILENO, t->input, SEEK_SET) != t->input);
}

void
twice_differs(struct cli *cli, const struct launched *first,
    const struct launched *second)
{

	if (second->signal != 0)
		cli_note(cli, "the second run was ended by signal %d (%s), the "
		    "first was not: --twice is for programs that may be run "
		    "again", second->signal, strsignal(second->signal));
	else if (second->exit_code != first->exit_code)
		cli_note(cli, "the second run ended with status %d, the first "
		    "with %d: --twice is for programs that may be run again",
		    second->exit_code, first->exit_code);
}

static double
side_s(const json_t *kernel, const char *side)
{

	return field_number(json_object_get(kernel, side), "total_s");
}

/* Inserts into ${list}, sorted by traced time, the most first. */
static void
insert(json_t *list, const json_t *kernel)
{
	double traced = side_s(kernel, "base");
	size_t at = json_array_size(list);

	while (at > 0 && !(field_number(json_array_get(list, at - 1),
	    "traced_s") >= traced))
		at--;
	json_array_insert_new(list, at, json_pack("{s:O?, s:o, s:o}",
	    "name", json_object_get(kernel, "name"),
	    "traced_s", json_number(traced),
	    "measured_s", json_number(side_s(kernel, "target"))));
}

void
twice_join(const struct view *first, struct view *v)
{
	json_t *compare = view_compare(first, v), *kernels = json_array();
	const json_t *k;
	size_t i;

	json_array_foreach(json_object_get(compare, "kernels"), i, k)
		insert(kernels, k);
	v->traced = json_pack("{s:s?, s:O?, s:o, s:o, s:o}",
	    "run", first->name,
	    "id", json_object_get(first->run, "id"),
	    "wall_s", json_number(field_number(first->run, "wall_ns") * 1e-9),
	    "measured_wall_s", json_number(field_number(v->run, "wall_ns") *
	    1e-9),
	    "kernels", kernels);
	json_decref(compare);
}

static void
right(struct out *o, double s)
{
	char a[NUMBER_SIZE];

	number_seconds(a, s);
	out_spaces(o, TIME_COLUMNS - out_columns(o, a));
	out_text(o, a);
}

static void
row(struct out *o, const char *name, double traced, double measured)
{
	int room = o->width - 2 * TIME_COLUMNS - 1;

	out_spaces(o, 1);
	out_cell(o, name, room - 1);
	right(o, traced);
	right(o, measured);
	out_line(o);
}

void
twice_print(struct cli *cli, const struct view *v)
{
	const json_t *kernels = json_object_get(v->traced, "kernels"), *k;
	struct out *o = &cli->out;
	char text[256];
	size_t i, n = json_array_size(kernels);

	if (n == 0)
		return;
	out_line(o);
	out_style(o, STYLE_BOLD);
	snprintf(text, sizeof(text), "Traced only (run %.200s)",
	    or_unknown(field_text(v->traced, "run")));
	out_cell(o, text, o->width - 2 * TIME_COLUMNS - 1);
	out_style(o, STYLE_PLAIN);
	out_text(o, "    traced  measured");
	out_line(o);
	row(o, "the run", field_number(v->traced, "wall_s"),
	    field_number(v->traced, "measured_wall_s"));
	json_array_foreach(kernels, i, k)
		if (i < KERNELS_SHOWN)
			row(o, or_unknown(field_text(k, "name")),
			    field_number(k, "traced_s"),
			    field_number(k, "measured_s"));
	if (n > KERNELS_SHOWN)
		out_format(o, "  %zu more: cudadvise compare %s %s\n",
		    n - KERNELS_SHOWN, or_unknown(field_text(v->traced,
		    "run")), v->name);
}
