/*
 * The cudadvise command: finds the command in the table, parses its options,
 * connects to the daemon if the table says so, and runs it.
 */
#include <errno.h>
#include <locale.h>
#include <string.h>

#include "cli/client.h"
#include "cli/daemon.h"

#include "cli/command.h"

static int (*const command_run[COMMANDS])(struct cli *cli, int argc, char **argv) = {
#define COMMAND(id, name, operands, kind, least, most, flags, summary, more) \
	[COMMAND_##id] = cmd_##name,
#include "cli/command.def"
};

/* The exit status of our own failures depends on the command. */
static int
own_status(const struct command *c, int otherwise)
{

	return c == &command_table[COMMAND_RUN] ? EXIT_OURS :
	    (c->flags & TROUBLE_IS_2) != 0 ? EXIT_USAGE : otherwise;
}

static int
open_output(struct cli *cli, const struct command *c, struct error *e)
{

	if (cli->opt.output == NULL || (c->flags & OPENS_OUTPUT) != 0)
		return 0;
	cli->output = fopen(cli->opt.output, "we");
	if (cli->output == NULL)
		return error_set(e, "cannot write '%s':", cli->opt.output);
	out_setup(&cli->out, cli->output, cli->opt.color);
	return 0;
}

/* Checks that the output was written: a full disk is a failure, with status
 * ${failed} unless there was another. */
static int
close_output(struct cli *cli, int status, int failed)
{
	struct error e = ERROR_INIT;
	FILE *f = cli->out.file;
	int bad = ferror(f) | (fflush(f) != 0);

	if (cli->output != NULL)
		bad |= fclose(cli->output) != 0;
	if (!bad || errno == EPIPE)
		return status;
	if (cli->opt.output != NULL)
		error_set(&e, "cannot write '%s':", cli->opt.output);
	else
		error_set(&e, "cannot write to standard output:");
	cli_error(cli, &e);
	return status != 0 ? status : failed;
}

/* A running daemon of an older build explains much odd behaviour; noted last,
 * where it is read. */
static void
note_build(struct cli *cli, const struct command *c)
{
	struct error e = ERROR_INIT;

	/* These two commands say so themselves, or end the daemon. */
	if (cli->client == NULL || cli->opt.quiet ||
	    c == &command_table[COMMAND_DOCTOR] ||
	    (c == &command_table[COMMAND_DAEMON] && !daemon_answers(NULL)) ||
	    daemon_is_ours(cli->client, &e))
		return;
	cli_error(cli, &e);
}

static int
run_command(struct cli *cli, const struct command *c, int argc, char **argv)
{
	struct error e = ERROR_INIT;
	int first, status;

	first = options_parse(&cli->opt, c, argc, argv, &e);
	out_setup(&cli->out, stdout, cli->opt.color);
	out_setup(&cli->err, stderr, cli->opt.color);
	if (first < 0) {
		cli_error(cli, &e);
		return own_status(c, EXIT_USAGE);
	}
	if (cli->opt.help) {
		help_command(&cli->out, c);
		return close_output(cli, 0, EXIT_FAILED);
	}
	if (open_output(cli, c, &e) != 0) {
		cli_error(cli, &e);
		return own_status(c, EXIT_FAILED);
	}
	if ((c->flags & NEEDS_DAEMON) != 0 &&
	    (cli->client = daemon_connect(&e)) == NULL)
		status = cli_error(cli, &e);
	else
		status = command_run[c - command_table](cli, argc - first,
		    argv + first);
	note_build(cli, c);
	client_free(cli->client);
	/* For run, the status is the program's. */
	return close_output(cli, status, c == &command_table[COMMAND_RUN] ?
	    status : own_status(c, EXIT_FAILED));
}

/* Is the word after the option ${word} its value? */
static bool
takes_value(const char *word)
{
	size_t i;

	for (i = 0; i < OPTIONS; i++) {
		const struct option_row *row = &option_table[i];

		if (row->value != NULL && (strncmp(word, "--", 2) == 0 ?
		    strcmp(word + 2, row->name) == 0 : row->letter != 0 &&
		    word[1] == row->letter && word[2] == '\0'))
			return true;
	}
	return false;
}

/* "cudadvise --json list": moves the command in front of the options. */
static void
command_first(int argc, char **argv)
{
	char *name;
	int at;

	for (at = 1; at < argc && argv[at][0] == '-' && argv[at][1] != '\0';
	    at++)
		at += takes_value(argv[at]);
	if (at == 1 || at >= argc || command_find(argv[at]) == NULL)
		return;
	name = argv[at];
	memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof(*argv));
	argv[1] = name;
}

int
main(int argc, char **argv)
{
	struct cli cli = { .client = NULL };
	const struct command *c;
	const char *name;

	setlocale(LC_CTYPE, "");
	out_setup(&cli.out, stdout, COLOR_AUTO);
	out_setup(&cli.err, stderr, COLOR_AUTO);
	if (argc < 2) {
		help_all(&cli.err);
		return EXIT_USAGE;
	}
	command_first(argc, argv);
	name = argv[1];
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		name = "help";
	else if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
		name = "version";
	if ((c = command_find(name)) == NULL)
		return help_unknown(&cli, name);
	return run_command(&cli, c, argc - 1, argv + 1);
}
