/*
 * pairs.h: the reference pairs, from kernels.def.
 */
#ifndef CADV_PAIRS_H
#define CADV_PAIRS_H

#include <stddef.h>

struct job;

#define PAIR(ident, id, lesson, metric) int pair_##ident(struct job *job);
#include "kernels.def"
#undef PAIR

struct pair {
	const char *id;		/* also the rule that must find bad */
	const char *lesson;
	const char *metric;	/* what differs between the variants */
	int (*run)(struct job *job);
};

extern const struct pair pair_table[];
extern const size_t pair_count;

#endif
