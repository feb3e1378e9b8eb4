/*
 * report/ending.h: how the record of a run ends. Pure.
 */
#ifndef CADV_ENDING_H
#define CADV_ENDING_H

#include <stddef.h>

struct run;

/* unended_processes(r): of a run that is over, the processes whose last word is
 * missing: they were killed, or the capture was cut; 0 while it is live. What
 * they had not sent cannot be counted. */
size_t unended_processes(const struct run *r);

#endif
