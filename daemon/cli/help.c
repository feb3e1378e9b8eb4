#include <stdio.h>
#include <string.h>

#include "cli/near.h"

#include "cli/command.h"

#define HELP_INDENT 30

static void
help_option(struct out *o, const struct option_row *row)
{
	char text[96];

	if (row->letter != 0)
		snprintf(text, sizeof(text), "  -%c, --%s%s%s", row->letter,
		    row->name, row->value != NULL ? " " : "",
		    row->value != NULL ? row->value : "");
	else
		snprintf(text, sizeof(text), "      --%s%s%s", row->name,
		    row->value != NULL ? " " : "",
		    row->value != NULL ? row->value : "");
	out_text(o, text);
	if (o->column + 2 > HELP_INDENT)
		out_line(o);
	out_wrap(o, HELP_INDENT, row->help);
}

void
help_command(struct out *o, const struct command *c)
{
	uint32_t bit = 1u << (c - command_table);
	size_t i;

	out_format(o, "Usage: cudadvise %s [OPTION...]%s%s\n\n", c->name,
	    c->operands[0] != '\0' ? " " : "", c->operands);
	out_wrap(o, 0, c->summary);
	if (c->more[0] != '\0') {
		out_line(o);
		out_wrap(o, 0, c->more);
	}
	out_text(o, "\nOptions:\n");
	for (i = 0; i < OPTIONS; i++)
		if ((option_table[i].commands & bit) != 0)
			help_option(o, &option_table[i]);
}

void
help_all(struct out *o)
{
	size_t i;

	out_text(o, "Usage: cudadvise COMMAND [OPTION...] [OPERAND...]\n"
	    "       cudadvise run [OPTION...] [--] PROGRAM [ARGUMENT...]\n\n");
	out_wrap(o, 0, "Runs a CUDA program as it is, measures what its "
	    "kernels, copies and calls do, and says what to change first and "
	    "how many seconds that would save.");
	out_text(o, "\nCommands:\n");
	for (i = 0; i < COMMANDS; i++) {
		out_spaces(o, 2);
		out_cell(o, command_table[i].name, 12);
		out_wrap(o, 14, command_table[i].summary);
	}
	out_text(o, "\ncudadvise COMMAND --help explains one; "
	    "man cudadvise has it all.\n");
}

int
help_unknown(struct cli *cli, const char *name)
{
	struct error e = ERROR_INIT;
	const char *names[COMMANDS], *other;
	size_t i;

	error_set(&e, "unknown %s '%.100s'", name[0] == '-' ? "option" :
	    "command", name);
	for (i = 0; i < OPTIONS && name[0] == '-'; i++)
		if (strncmp(name, "--", 2) == 0 ? strncmp(name + 2,
		    option_table[i].name, strcspn(name + 2, "=")) == 0 :
		    name[1] != '\0' && name[1] == option_table[i].letter)
			error_remedy(&e, "options come after the command");
	for (i = 0; i < COMMANDS; i++)
		names[i] = command_table[i].name;
	if ((other = near_word(name, names, COMMANDS)) != NULL)
		error_remedy(&e, "did you mean '%s'? cudadvise help lists the "
		    "commands", other);
	error_remedy(&e, "cudadvise help lists the commands");
	cli_error(cli, &e);
	return EXIT_USAGE;
}

/* Characters that are special in scdoc; all others are text. */
static void
scdoc_text(FILE *f, const char *s)
{

	for (; *s != '\0'; s++) {
		if (strchr("_*#\\<>[]|`~", *s) != NULL)
			putc('\\', f);
		putc(*s, f);
	}
}

static void
scdoc_command(FILE *f, const struct command *c)
{
	uint32_t bit = 1u << (c - command_table);
	const struct option_row *row;
	size_t i;

	fprintf(f, "## cudadvise %s\n\n*cudadvise %s* [OPTION...] ", c->name,
	    c->name);
	scdoc_text(f, c->operands);
	fputs("\n\n", f);
	scdoc_text(f, c->summary);
	fputs(".\n\n", f);
	if (c->more[0] != '\0') {
		scdoc_text(f, c->more);
		fputs("\n\n", f);
	}
	for (i = 0; i < OPTIONS; i++) {
		row = &option_table[i];
		/* Options of every command are described once, in the page's
		 * own part. */
		if ((row->commands & bit) == 0 || row->commands == ~0u)
			continue;
		if (row->letter != 0)
			fprintf(f, "*-%c*, ", row->letter);
		fprintf(f, "*--%s*", row->name);
		if (row->value != NULL)
			fprintf(f, " _%s_", row->value);
		fputs("\n\t", f);
		scdoc_text(f, row->help);
		fputs("\n\n", f);
	}
}

void
help_scdoc(FILE *f)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++)
		scdoc_command(f, &command_table[i]);
}
