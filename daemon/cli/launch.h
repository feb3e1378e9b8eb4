/*
 * cli/launch.h: running the user's program as if we were not there: with its
 * own standard files, terminal, signals and exit status.
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
 * launch_find(out, name, e): the program that execvp(3) would run, into ${out}
 * (PATH_MAX bytes). Returns 0, or the exit status, 126 or 127, with ${e} set.
 */
int launch_find(char *out, const char *name, struct error *e);

/* Variables of the child: NULL unsets one. */
struct variable {
	const char *name, *value;
};

struct launch {
	const char *path;	/* from launch_find */
	char **argv;
	const struct variable *env;
	size_t variables;
	struct sigaction pipe;	/* from launch_shield */
	bool no_input;		/* standard input is empty */
	bool no_output;		/* standard output and error are discarded */
	uint64_t limit_ns;	/* end the program after that; 0: never. Needs
				 * ends_all */
	bool ends_all;		/* when it is ended, by the limit or a signal,
				 * also end the processes that it has left */
};

struct launched {
	int exit_code;		/* the program's; -1: ended by a signal */
	int signal;		/* 0: none */
	bool timed_out;		/* by limit_ns */
	uint64_t start_ns, end_ns;	/* CLOCK_REALTIME */
	struct rusage usage;
};

/* launch_shield(l): from now on, a closed pipe at our standard error does not kill us:
 * our output must not decide the exit status. The program gets SIGPIPE as it was. */
void launch_shield(struct launch *l);

/*
 * launch_run(l, end, e): run the program and wait for its end. Meanwhile SIGINT
 * and SIGQUIT are ignored (the terminal sends them to the program, too), and
 * SIGTERM and SIGHUP are passed on to it. Returns 0; or 125 to 127 with ${e}
 * set if it did not start.
 */
int launch_run(const struct launch *l, struct launched *end, struct error *e);

/* launch_status(l): the exit status for ${l}; if a signal killed the program,
 * this kills our process by the same signal. */
int launch_status(const struct launched *l);

#endif
