/* cli/self.h: running this command as a separate process. */
#ifndef CADV_CLI_SELF_H
#define CADV_CLI_SELF_H

#include <stdbool.h>

struct error;

/*
 * self_run(argv, output, e): run /proc/self/exe with ${argv}, without input,
 * its standard output ours if ${output}, else discarded, and wait. Returns its
 * exit status, 128 + a signal's number, or -1 with ${e} set. Meanwhile we
 * ignore SIGINT and SIGQUIT, which a terminal sends to both.
 */
int self_run(char **argv, bool output, struct error *e);

#endif
