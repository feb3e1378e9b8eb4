/*
 * cli/command.h: the command line as tables (command.def), and the state that
 * commands work with.
 */
#ifndef CADV_CLI_COMMAND_H
#define CADV_CLI_COMMAND_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "report/out.h"

enum {
	EXIT_FAILED = 1, EXIT_USAGE = 2,
	/* for ab, gate and verify, with 2 for our own failures: */
	EXIT_WORSE = 1, EXIT_INCONCLUSIVE = 3,
	/* for run, as for env and timeout: */
	EXIT_OURS = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127
};

enum command_id {
#define COMMAND(id, name, operands, kind, least, most, flags, summary, more) \
	COMMAND_##id,
#include "cli/command.def"
	COMMANDS
};

enum option_id {
#define OPTION(id, name, letter, value, choices, commands, help) OPTION_##id,
#include "cli/command.def"
	OPTIONS
};

/* The formats of report/format.def. */
enum shown_format {
#define SHOWN(name, help) SHOWN_##name,
#define WRITTEN(id, name, suffix, type, reads, help) SHOWN_##id,
#include "report/format.def"
	SHOWN_FORMATS
};

enum operand_kind {
	OPERAND_NONE, OPERAND_PROGRAM, OPERAND_RUN, OPERAND_RULE, OPERAND_FILE,
	OPERAND_VERB, OPERAND_COMMAND, OPERAND_KERNEL
};

enum {
	NEEDS_DAEMON = 1,	/* main connects, starting it if needed */
	OPENS_OUTPUT = 2,	/* the command opens the file of -o itself */
	TROUBLE_IS_2 = 4	/* exit status 1 is an answer, 2 a failure */
};

#define ENV_NAME_MAX 200	/* bytes */

struct option_row {
	const char *name;
	char letter;			/* 0: none */
	const char *value, *choices;
	uint32_t commands;		/* bits of enum command_id */
	const char *help;
};
extern const struct option_row option_table[OPTIONS];

/* The parsed command line. Strings point into argv. */
struct options {
	bool json, quiet, verbose, all, print, open, show, report, replay, twice;
	bool no_open;
	bool require_daemon, no_daemon, no_counters, help;
	unsigned format;		/* enum shown_format; for export enum
					 * exported_format (report/format.h);
					 * json: it is JSON */
	enum out_color color;
	int level;			/* 0: not given */
	double budget;			/* ratio; NaN: not given */
	long limit, port, timeout;	/* 0: not given; timeout: seconds */
	long max_stall;			/* milliseconds; 0: not given */
	uint32_t tools;			/* 1 << enum wire_tool; 0: not given */
	bool sass;
	const char *label, *output, *run, *line, *kernel, *launches;
	const char *baseline, *rule, *program, *since;
	long runs, seconds;		/* 0: not given */
	const char *env[2];		/* NAME=VALUE, as many as given */
	double margin, until;		/* ratios; 0: not given */
	uint32_t allowed;		/* 1 << enum condition */
	int fail_on, severity;		/* index of the choice + 1; 0: not given */
	bool all_runs;			/* findings of all runs */
	bool dashes;			/* "--" preceded the operands */
	bool output_opened;		/* the command opens the output itself */
};

struct client;

struct cli {
	struct options opt;
	struct out out, err;
	struct client *client;		/* NULL without NEEDS_DAEMON */
	FILE *output;			/* of -o, or NULL */
};

struct command {
	const char *name, *operands;
	enum operand_kind kind;
	int least, most;
	unsigned flags;
	const char *summary, *more;
};
extern const struct command command_table[COMMANDS];
_Static_assert(COMMANDS <= 32, "bits of option_row.commands");

/* command_find(name): its row, or NULL. */
const struct command *command_find(const char *name);

/*
 * options_parse(o, c, argc, argv, e): fill ${o} from argv[1..]. For a command that
 * takes a program, parsing stops at the first operand; else operands are moved
 * behind the options. Returns the index of the first operand, or -1 with ${e} set.
 */
int options_parse(struct options *o, const struct command *c, int argc,
    char **argv, struct error *e);

/* help_all, help_command: print the text of --help. help_scdoc: the commands'
 * part of the manual page. */
void help_all(struct out *o);
void help_command(struct out *o, const struct command *c);
void help_scdoc(FILE *file);
/* help_unknown(cli, name): print that there is no such command, and which one
 * may be meant; returns EXIT_USAGE. */
int help_unknown(struct cli *cli, const char *name);

/* cli_error(cli, e): print ${e} and its remedy to standard error; returns
 * EXIT_FAILED. */
int cli_error(struct cli *cli, const struct error *e);
/* cli_note(cli, fmt, …): print a note of ours to standard error, unless --quiet. */
void cli_note(struct cli *cli, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* cli_trial(cli, trial): print it (compare/trial.h); returns the exit status
 * for its verdict. */
int cli_trial(struct cli *cli, const json_t *trial);

/* cli_json(cli, j): print ${j} (stolen) with schema_version at its top. Returns
 * the exit status. */
int cli_json(struct cli *cli, json_t *j);

#define COMMAND(id, name, operands, kind, least, most, flags, summary, more) \
	int cmd_##name(struct cli *cli, int argc, char **argv);
#include "cli/command.def"

#endif
