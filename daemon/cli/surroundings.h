/*
 * cli/surroundings.h: what a run depends on besides the program's command: the
 * state of the GPUs during the run, environment variables, the CPU's governor, the
 * program's file. Recorded with each run, so that runs can be compared fairly.
 */
#ifndef CADV_CLI_SURROUNDINGS_H
#define CADV_CLI_SURROUNDINGS_H

#include <jansson.h>

/* surroundings_text(watched, program): RunConditions (config/openapi.json) as
 * JSON text, malloced; ${watched} is watch_end's (stolen; NULL: not watched),
 * ${program} the path of its file. NULL without memory. */
char *surroundings_text(json_t *watched, const char *program);

#endif
