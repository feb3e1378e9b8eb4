/*
 * report/ending.h: processes that did not report their end. Pure.
 */
#ifndef CADV_ENDING_H
#define CADV_ENDING_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct run;

/* unended_processes(r): the number of processes of a finished run whose last
 * record is missing: they were killed, or the capture was cut; 0 while it is
 * live. What they had not sent cannot be counted. */
size_t unended_processes(const struct run *r);

/* ending_text(out, run): a sentence about how the run of that document ended, unless
 * the program exited with 0 and all of it was recorded: then false. */
#define ENDING_SIZE 192
bool ending_text(char out[ENDING_SIZE], const json_t *run);

#endif
