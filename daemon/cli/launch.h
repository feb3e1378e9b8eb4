/*
 * cli/launch.h: running somebody's program as if we were not there: its own
 * standard files, its own terminal, its own signals and exit status.
 */
#ifndef CADV_CLI_LAUNCH_H
#define CADV_CLI_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct error;

/*
 * launch_find(out, name, e): the program that execvp(3) would run, in ${out}
 * (PATH_MAX bytes). Returns 0, or the exit status to end with, 126 or 127, with
 * ${e} set.
 */
int launch_find(char *out, const char *name, struct error *e);

/* Variables of the child: a NULL value unsets. */
struct variable {
	const char *name, *value;
};

struct launch {
	const char *path;	/* launch_find's */
	char **argv;
	const struct variable *env;
	size_t variables;
	struct sigaction pipe;	/* launch_shield's */
	bool no_input;		/* its standard input is empty */
	bool no_output;		/* what it prints goes nowhere, errors too */
	uint64_t limit_ns;	/* then it is ended; 0: never. Wants ends_all */
	bool ends_all;		/* what it leaves running when it is ended, by
				 * the limit or a signal, is ended with it */
};

struct launched {
	int exit_code;		/* of the program; -1: a signal ended it */
	int signal;		/* 0: none */
	bool timed_out;		/* by limit_ns */
	uint64_t start_ns, end_ns;	/* CLOCK_REALTIME */
	struct rusage usage;
};

/* launch_shield(l): from now on a closed pipe at our standard error kills us no
 * more: what we print must not decide the exit status. The program gets SIGPIPE
 * as it was. */
void launch_shield(struct launch *l);

/*
 * launch_run(l, end, e): run it and wait for its end. While it lives SIGINT and
 * SIGQUIT are ignored (the terminal sends them to the program too) and SIGTERM
 * and SIGHUP handed on to it. Returns 0, or 125 to 127 with ${e} set when it
 * did not start.
 */
int launch_run(const struct launch *l, struct launched *end, struct error *e);

/* launch_status(l): the exit status that stands for ${l}; if the program was
 * killed by a signal this ends our process by the same one. */
int launch_status(const struct launched *l);

#endif
