/*
 * cli/twice.h: run --twice: a program runs once only traced, then once more to
 * be measured. The first run is the user's: it has the standard input, the
 * output and the exit status. The second gets input that can be read again, and
 * its output is discarded.
 */
#ifndef CADV_CLI_TWICE_H
#define CADV_CLI_TWICE_H

#include <stdbool.h>
#include <sys/types.h>

struct cli;
struct error;
struct launch;
struct launched;
struct view;

#define TWICE_MARK "traced"	/* marks the first run in its label and capture */

struct twice {
	off_t input;		/* offset of standard input at the start; -1: no file */
	bool terminal;		/* standard input is a terminal */
};

/* twice_check(t, e): can standard input be read twice? 0; -1 with ${e} set for
 * a pipe or a socket. To be called before the first run. */
int twice_check(struct twice *t, struct error *e);

/* twice_second(t, l): prepare standard input and ${l} for the second run. */
void twice_second(const struct twice *t, struct launch *l);

/* twice_differs(cli, first, second): print a note if they did not end alike. */
void twice_differs(struct cli *cli, const struct launched *first,
    const struct launched *second);

/* twice_join(first, v): give ${v}, the second run, the times of the first
 * (v->traced: run, id, wall_s; kernels: name, traced_s, measured_s). */
void twice_join(const struct view *first, struct view *v);

/* twice_print(cli, v): print these times to cli->out; nothing without kernels. */
void twice_print(struct cli *cli, const struct view *v);

#endif
