/* cli/previous.h: the previous run of the same command. */
#ifndef CADV_CLI_PREVIOUS_H
#define CADV_CLI_PREVIOUS_H

#include <jansson.h>
#include <stdbool.h>

struct cli;

/* previous_run(cli, run, but, ref): the newest finished run of the same command
 * before ${run} that ended in the same way: its number as text in ${ref}.
 * ${but} (may be NULL) is skipped: for --twice the first run. False if there is
 * none among the latest runs. Needs cli->client. */
bool previous_run(struct cli *cli, const json_t *run, const json_t *but,
    char ref[32]);

#endif
