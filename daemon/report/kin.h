/*
 * report/kin.h: one fault at several places that one change fixes, which is one entry
 * in every list: the report, the page and the counts of runs go by what is decided here.
 * Pure.
 */
#ifndef CADV_KIN_H
#define CADV_KIN_H

#include <stddef.h>

struct advice;

/* kin_of(a): for each finding of ${a} the index of the first that the same change
 * fixes, or its own; only findings worth a change are joined. Freed by the caller;
 * NULL without memory, or if there are no findings. */
size_t *kin_of(const struct advice *a);

/* kin_changes(a): the findings worth a change, those that one change fixes counted
 * once. */
size_t kin_changes(const struct advice *a);

/* kin_change_length(advice): length of the change that ${advice} asks for: up to the
 * first colon, semicolon or full stop outside parentheses. What follows is how, and
 * what to consider. */
size_t kin_change_length(const char *advice);

#endif
