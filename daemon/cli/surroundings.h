/*
 * cli/surroundings.h: what a run depends on besides the program's command: the GPUs'
 * state meanwhile, settings in the environment, the CPU's governor, the program's
 * file. Recorded with each run, so that two can be compared honestly.
 */
#ifndef CADV_CLI_SURROUNDINGS_H
#define CADV_CLI_SURROUNDINGS_H

#include <jansson.h>

/* surroundings_text(watched, program): RunConditions (config/openapi.json) as JSON
 * text, malloced; ${watched} is watch_end's (stolen; NULL: nobody looked), ${program}
 * the path of the file. NULL without memory. */
char *surroundings_text(json_t *watched, const char *program);

#endif
