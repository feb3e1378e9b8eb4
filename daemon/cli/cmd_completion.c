/*
 * Completion scripts, generated from the tables. Operands that only the daemon
 * (runs) or the catalogue (rules) knows are queried by the script when needed.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

/*
 * The kernels of the newest run whose names are single words. A colon would end
 * a completion for zsh, and dollars are special in fish.
 */
#define KERNEL_NAMES							\
	"cudadvise daemon status -q >/dev/null 2>&1 && "			\
	"cudadvise kernels --json 2>/dev/null | sed -n \"s/.*short_name"	\
	"[^A-Za-z_]*\\([A-Za-z0-9_]*\\).,.*/\\1/p\" | sort -u"

/* The numbers of the newest runs. Asks a running daemon, never starts one. */
#define RUN_NUMBERS							\
	"cudadvise daemon status -q >/dev/null 2>&1 && "			\
	"cudadvise list -n 50 2>/dev/null | sed -n \"s/^ *\\([0-9][0-9]*\\) "	\
	".*/\\1/p\""

static uint32_t
bit_of(size_t command)
{

	return 1u << command;
}

static bool
has_words(const struct option_row *row)
{

	return row->choices != NULL && strcmp(row->choices, "FILE") != 0;
}

/* "start|stop" as "start stop" */
static void
put_verbs(FILE *f, const char *operands)
{

	for (; *operands != '\0'; operands++)
		putc(*operands == '|' ? ' ' : *operands, f);
}

/* Text for inside single quotes: the three shells escape an apostrophe
 * differently, so none is written. */
static void
put_plain(FILE *f, const char *s)
{

	for (; *s != '\0'; s++)
		putc(strchr("'\\[]:$`\"", *s) != NULL ? ' ' : *s, f);
}

/* --- bash ------------------------------------------------------------------ */

static void
bash_options(FILE *f, size_t command)
{
	size_t i;

	for (i = 0; i < OPTIONS; i++) {
		if ((option_table[i].commands & bit_of(command)) == 0)
			continue;
		fprintf(f, " --%s", option_table[i].name);
		if (option_table[i].letter != 0)
			fprintf(f, " -%c", option_table[i].letter);
	}
}

static void
bash_values(FILE *f, size_t command)
{
	const struct option_row *row;
	size_t i;

	for (i = 0; i < OPTIONS; i++) {
		row = &option_table[i];
		if ((row->commands & bit_of(command)) == 0 ||
		    row->value == NULL)
			continue;
		fprintf(f, "\t%s:--%s", command_table[command].name,
		    row->name);
		if (row->letter != 0)
			fprintf(f, "|%s:-%c", command_table[command].name,
			    row->letter);
		if (has_words(row))
			fprintf(f, ") words='%s' ;;\n", row->choices);
		else if (i == OPTION_OF_RUN)
			fprintf(f, ") words=$(_cudadvise_runs); files=1 ;;\n");
		else if (row->choices != NULL)
			fprintf(f, ") files=1 ;;\n");
		else
			fprintf(f, ") words='' ;;\n");
	}
}

static void
bash_operands(FILE *f, const struct command *c)
{

	switch (c->kind) {
	case OPERAND_RUN:
		fputs("words=$(_cudadvise_runs)\n\t\tfiles=1", f);
		break;
	case OPERAND_RULE:
		fputs("words=$(_cudadvise_rules)", f);
		break;
	case OPERAND_KERNEL:
		fputs("words=$(_cudadvise_kernels)", f);
		break;
	case OPERAND_FILE:
		fputs("files=1", f);
		break;
	case OPERAND_VERB:
		fputs("words='", f);
		put_verbs(f, c->operands);
		fputs("'", f);
		break;
	case OPERAND_COMMAND:
		fputs("words=$commands", f);
		break;
	default:
		fputs(":", f);
		break;
	}
}

static void
bash_script(FILE *f)
{
	size_t i;

	fputs("# bash completion of cudadvise\n"
	    "_cudadvise_runs() {\n"
	    "\t" RUN_NUMBERS "\n}\n"
	    "_cudadvise_rules() {\n"
	    "\tcudadvise rules 2>/dev/null | awk 'NR > 1 { print $1 }'\n}\n"
	    "_cudadvise_kernels() {\n"
	    "\tcudadvise daemon status -q >/dev/null 2>&1 || return 0\n"
	    "\t" KERNEL_NAMES "\n}\n"
	    /* The program's own completion, if there is one. */
	    "_cudadvise_program() {\n"
	    "\tif declare -F _command_offset >/dev/null; then\n"
	    "\t\t_command_offset \"$1\"\n"
	    "\telif [ \"$COMP_CWORD\" -eq \"$1\" ]; then\n"
	    "\t\tCOMPREPLY=($(compgen -c -f -- "
	    "\"${COMP_WORDS[COMP_CWORD]}\"))\n"
	    "\telse\n"
	    "\t\tCOMPREPLY=($(compgen -f -- "
	    "\"${COMP_WORDS[COMP_CWORD]}\"))\n"
	    "\tfi\n}\n"
	    "_cudadvise() {\n"
	    "\tlocal current=${COMP_WORDS[COMP_CWORD]}\n"
	    "\tlocal previous=${COMP_WORDS[COMP_CWORD-1]}\n"
	    "\tlocal command=${COMP_WORDS[1]} words= files= i\n"
	    /* The shell passes --name=VALUE as three words. */
	    "\t[ \"$current\" = = ] && current= && "
	    "previous=\"= ${COMP_WORDS[COMP_CWORD-1]}\"\n"
	    "\t[ \"$previous\" = = ] && previous=\"= "
	    "${COMP_WORDS[COMP_CWORD-2]}\"\n"
	    "\tprevious=${previous#= }\n"
	    "\tlocal commands='", f);
	for (i = 0; i < COMMANDS; i++)
		fprintf(f, "%s%s", i > 0 ? " " : "", command_table[i].name);
	fputs("'\n\tCOMPREPLY=()\n"
	    "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	    "\t\tCOMPREPLY=($(compgen -W \"$commands --help --version\" -- "
	    "\"$current\"))\n\t\treturn\n\tfi\n"
	    "\tif [ \"$command\" = run ] || [ \"$command\" = sanitize ]; then\n"
	    "\t\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	    "\t\t\tcase ${COMP_WORDS[i]} in\n"
	    "\t\t\t--) _cudadvise_program $((i + 1)); return ;;\n"
	    "\t\t\t-*) ;;\n"
	    "\t\t\t*)\n"
	    "\t\t\t\tcase ${COMP_WORDS[i-1]} in\n"
	    "\t\t\t\t-l|-b|-k|-L|-f|-o|-t|--level|--overhead-budget|"
	    "--max-stall|--kernel|--launches|--label|--format|--output|"
	    "--color|--tool|--timeout|=) ;;\n"
	    "\t\t\t\t*) _cudadvise_program $i; return ;;\n"
	    "\t\t\t\tesac ;;\n"
	    "\t\t\tesac\n\t\tdone\n\tfi\n"
	    "\tcase $command:$previous in\n", f);
	for (i = 0; i < COMMANDS; i++)
		bash_values(f, i);
	fputs("\t*)\n\t\tcase $command in\n", f);
	for (i = 0; i < COMMANDS; i++) {
		fprintf(f, "\t\t%s) ", command_table[i].name);
		bash_operands(f, &command_table[i]);
		fputs("\n\t\t\tcase $current in -*) files= words='", f);
		bash_options(f, i);
		fputs("' ;; esac ;;\n", f);
	}
	fputs("\t\tesac ;;\n\tesac\n"
	    "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
	    "\t[ -n \"$files\" ] && COMPREPLY+=($(compgen -f -- "
	    "\"$current\"))\n"
	    "\tcase $command in run|sanitize)\n"
	    "\t\t[ ${#COMPREPLY[@]} -eq 0 ] &&\n"
	    "\t\t    COMPREPLY=($(compgen -c -f -- \"$current\")) ;;\n"
	    "\tesac\n"
	    "\treturn 0\n}\n"
	    "complete -o filenames -F _cudadvise cudadvise\n", f);
}

/* --- zsh ------------------------------------------------------------------- */

static void
zsh_option(FILE *f, const struct option_row *row)
{
	const char *names[2] = { NULL, NULL };
	char letter[3] = { '-', row->letter, '\0' }, name[64];
	int i;

	snprintf(name, sizeof(name), "--%s", row->name);
	names[0] = name;
	if (row->letter != 0)
		names[1] = letter;
	for (i = 0; i < 2 && names[i] != NULL; i++) {
		fprintf(f, "\t\t\t'%s[", names[i]);
		put_plain(f, row->help);
		fputs("]", f);
		if (row->value != NULL && has_words(row))
			fprintf(f, ":%s:(%s)", row->value, row->choices);
		else if (row == &option_table[OPTION_OF_RUN])
			fprintf(f, ":%s:_cudadvise_runs", row->value);
		else if (row->value != NULL && row->choices != NULL)
			fprintf(f, ":%s:_files", row->value);
		else if (row->value != NULL)
			fprintf(f, ":%s: ", row->value);
		fputs("' \\\n", f);
	}
}

static void
zsh_operands(FILE *f, const struct command *c)
{

	switch (c->kind) {
	case OPERAND_PROGRAM:
		fputs("'*::program:_normal'", f);
		break;
	case OPERAND_RULE:
		fputs("'1:rule:(${(f)\"$(cudadvise rules 2>/dev/null | "
		    "awk \"NR > 1 { print \\$1 }\")\"})'", f);
		break;
	case OPERAND_KERNEL:
		fputs("'1:kernel:(${(f)\"$(" KERNEL_NAMES ")\"})'",
		    f);
		break;
	case OPERAND_RUN:
		fputs("'*:run or capture:_cudadvise_runs'", f);
		break;
	case OPERAND_FILE:
		fputs("'*:capture:_files'", f);
		break;
	case OPERAND_VERB:
		fputs("'1:verb:(", f);
		put_verbs(f, c->operands);
		fputs(")'", f);
		break;
	case OPERAND_COMMAND:
		fputs("'1:command:(", f);
		for (size_t i = 0; i < COMMANDS; i++)
			fprintf(f, "%s ", command_table[i].name);
		fputs(")'", f);
		break;
	default:
		fputs("'*: :'", f);
		break;
	}
}

static void
zsh_script(FILE *f)
{
	size_t i, j;

	fputs("#compdef cudadvise\n"
	    "_cudadvise_runs() {\n"
	    "\tlocal -a runs\n"
	    "\truns=(${(f)\"$(" RUN_NUMBERS ")\"})\n"
	    "\tcompadd -a runs\n\t_files\n}\n"
	    "_cudadvise() {\n\tlocal -a commands\n\tcommands=(\n", f);
	for (i = 0; i < COMMANDS; i++) {
		fprintf(f, "\t\t'%s:", command_table[i].name);
		put_plain(f, command_table[i].summary);
		fputs("'\n", f);
	}
	fputs("\t)\n\tif ((CURRENT == 2)); then\n"
	    "\t\t_describe command commands\n\t\treturn\n\tfi\n"
	    "\tlocal command=$words[2]\n\tshift words\n\t((CURRENT--))\n"
	    "\tcase $command in\n", f);
	for (i = 0; i < COMMANDS; i++) {
		fprintf(f, "\t%s)\n\t\t_arguments -S \\\n",
		    command_table[i].name);
		for (j = 0; j < OPTIONS; j++)
			if ((option_table[j].commands & bit_of(i)) != 0)
				zsh_option(f, &option_table[j]);
		fputs("\t\t\t", f);
		zsh_operands(f, &command_table[i]);
		fputs(" ;;\n", f);
	}
	fputs("\tesac\n}\n_cudadvise \"$@\"\n", f);
}

/* --- fish ------------------------------------------------------------------ */

static void
fish_command(FILE *f, size_t command)
{
	const struct command *c = &command_table[command];
	const struct option_row *row;
	size_t i;

	fprintf(f, "complete -c cudadvise -f -n __fish_use_subcommand -a %s "
	    "-d '", c->name);
	put_plain(f, c->summary);
	fputs("'\n", f);
	for (i = 0; i < OPTIONS; i++) {
		row = &option_table[i];
		if ((row->commands & bit_of(command)) == 0)
			continue;
		fprintf(f, "complete -c cudadvise -n '__fish_seen_subcommand_"
		    "from %s' -l %s", c->name, row->name);
		if (row->letter != 0)
			fprintf(f, " -s %c", row->letter);
		if (row->value != NULL)
			fputs(row->choices != NULL && !has_words(row) ?
			    " -r" : " -x", f);
		if (has_words(row))
			fprintf(f, " -a '%s'", row->choices);
		fputs(" -d '", f);
		put_plain(f, row->help);
		fputs("'\n", f);
	}
	if (c->kind == OPERAND_RUN)
		fprintf(f, "complete -c cudadvise -n '__fish_seen_subcommand_"
		    "from %s' -a '(" RUN_NUMBERS ")'\n", c->name);
	if (c->kind != OPERAND_VERB && c->kind != OPERAND_RULE &&
	    c->kind != OPERAND_KERNEL)
		return;
	fprintf(f, "complete -c cudadvise -f -n '__fish_seen_subcommand_from "
	    "%s' -a '", c->name);
	if (c->kind == OPERAND_VERB)
		put_verbs(f, c->operands);
	else if (c->kind == OPERAND_KERNEL)
		fputs("(" KERNEL_NAMES ")", f);
	else
		fputs("(cudadvise rules 2>/dev/null | string match -r "
		    "\"^[a-z][a-z-]+-[a-z-]+\")", f);
	fputs("'\n", f);
}

int
cmd_completion(struct cli *cli, int argc, char **argv)
{
	struct error e = ERROR_INIT;
	FILE *f = cli->out.file;
	size_t i;

	(void)argc;
	if (strcmp(argv[0], "bash") == 0) {
		bash_script(f);
	} else if (strcmp(argv[0], "zsh") == 0) {
		zsh_script(f);
	} else if (strcmp(argv[0], "fish") == 0) {
		fputs("# fish completion of cudadvise\n", f);
		for (i = 0; i < COMMANDS; i++)
			fish_command(f, i);
	} else if (strcmp(argv[0], "man") == 0) {
		help_scdoc(f);
	} else {
		error_set(&e, "completion: '%.60s' is none of: bash zsh fish "
		    "man",
		    argv[0]);
		cli_error(cli, &e);
		return EXIT_USAGE;
	}
	return 0;
}
