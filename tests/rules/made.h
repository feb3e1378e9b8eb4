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

/* An empty run of ten seconds, one of which is start-up. */
void made_init(struct made *m);

/* Adds a second GPU, like the first, without work. */
struct device *made_device(struct made *m);

/* Adds a kernel of 12 waves of 256 threads, with ${launches} of ${mean_ns} and
 * without counters (level trace). */
struct kernel *made_kernel(struct made *m, const char *name, uint64_t launches,
    uint64_t mean_ns);

/* Sets the counters of a kernel without faults: coalesced, no conflicts, full
 * warps, DRAM busy for the share ${dram} of its time. */
void made_counters(struct made *m, struct kernel *k, double dram);

/* Adds a kernel with such counters. */
struct kernel *made_measured(struct made *m, const char *name, uint64_t launches,
    uint64_t mean_ns, double dram);

/* Adds the kernel that most tests are about: 10,000 launches of 200 µs, with
 * counters. */
struct kernel *made_counted(struct made *m, double dram);

/* Gives the kernel code that was not counted: a grid-stride loop, so that more
 * blocks can share its iterations. */
void made_strides(struct kernel *k);

/* Adds ${count} gaps between the GPU's work, in each of which the host was busy
 * with ${cause} for ${each_ns}, a power of two. */
void made_gaps(struct made *m, enum idle_cause cause, uint64_t count,
    uint64_t each_ns);

/* Removes one kind of data, an enum rule_need, as if it had been refused. */
void made_withhold(struct made *m, unsigned need);

/* The seconds of all launches of a kernel. */
double made_kernel_s(const struct kernel *k);

/* made_load: the load of the first kernel. made_speedup: how much faster a
 * launch with that load is after ${f}, in the view ${v}. */
void made_load(const struct made *m, struct load *l);
double made_speedup(const struct load *l, const struct fix *f, enum gain_view v);

struct advice *made_advice(const struct made *m);
const struct verdict *made_verdict(const struct advice *a, const char *rule);
const struct finding *made_finding(const struct advice *a, const char *rule);

#endif
