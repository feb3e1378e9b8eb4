/*
 * rules/made.h: runs built by hand, for tests of rules and gains. The GPU is
 * like an H200; the run takes ten seconds.
 */
#ifndef TEST_MADE_H
#define TEST_MADE_H

#include "rules/gain/gain.h"
#include "model/model.h"
#include "rules/engine/finding.h"

#define MADE_MAX 8

struct code_made;

struct made {
	struct run run;
	struct device device[2];	/* one is in use */
	struct kernel kernel[MADE_MAX];
	struct copy_class copy[MADE_MAX];
	struct small_copies small[MADE_MAX];
	struct sync_class sync[MADE_MAX];
	struct call_class call[MADE_MAX];
	struct sequence sequence[MADE_MAX];
	struct leak leak[MADE_MAX];
	struct failure failure[MADE_MAX];
	struct tool_run check[MADE_MAX];
	struct defect defect[MADE_MAX];
	struct peer peer[2];
	struct resent resent[2];
	struct memory_size size[2];
	struct code_made *code[MADE_MAX];	/* see code.h */
	size_t codes;
};

/* A run of ten seconds, of which one is start-up, that did nothing yet. */
void made_init(struct made *m);

/* A second GPU, like the first, without work. */
struct device *made_device(struct made *m);

/* A kernel of 12 waves of 256 threads, ${launches} of ${mean_ns}, that has no
 * counters (level trace). */
struct kernel *made_kernel(struct made *m, const char *name, uint64_t launches,
    uint64_t mean_ns);

/* Counters of a kernel that does nothing wrong: coalesced, no conflicts, full
 * warps, DRAM busy for ${dram} of its time. */
void made_counters(struct made *m, struct kernel *k, double dram);

/* A kernel with such counters. */
struct kernel *made_measured(struct made *m, const char *name, uint64_t launches,
    uint64_t mean_ns, double dram);

/* The kernel that most tests are about: 10,000 launches of 200 µs, with counters. */
struct kernel *made_counted(struct made *m, double dram);

/* Code for it, not counted: a loop that steps by the size of the grid, so that more
 * blocks can share its turns. */
void made_strides(struct kernel *k);

/* ${count} gaps between the GPU's work, for each of which the host took ${each_ns}
 * for ${cause}, a power of two. */
void made_gaps(struct made *m, enum idle_cause cause, uint64_t count,
    uint64_t each_ns);

/* Take one kind of data away, an enum rule_need: as if it had been refused. */
void made_withhold(struct made *m, unsigned need);

/* The seconds all launches of a kernel take. */
double made_kernel_s(const struct kernel *k);

/* The demands of the first kernel into ${l}; how much faster a launch with these is
 * after ${f}, as ${v} sees it. */
void made_load(const struct made *m, struct load *l);
double made_speedup(const struct load *l, const struct fix *f, enum gain_view v);

struct advice *made_advice(const struct made *m);
const struct verdict *made_verdict(const struct advice *a, const char *rule);
const struct finding *made_finding(const struct advice *a, const char *rule);

#endif
