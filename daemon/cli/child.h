/* cli/child.h: this command itself, as a process of its own. */
#ifndef CADV_CLI_CHILD_H
#define CADV_CLI_CHILD_H

#include <stdbool.h>

struct error;

/*
 * child_run(argv, output, e): run /proc/self/exe with ${argv}, without input, its
 * standard output ours if ${output}, else nowhere, and wait. Returns its exit
 * status, 128 + a signal's number, or -1 with ${e} set. SIGINT and SIGQUIT, which
 * a terminal sends to both, are left to the child meanwhile.
 */
int child_run(char **argv, bool output, struct error *e);

#endif
