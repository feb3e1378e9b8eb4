/*
 * rules/evidence/steps.h: the kernels of a repeated launch sequence, as the
 * cyclic step of a loop: behind the last comes the first of the next step. Pure.
 */
#ifndef CADV_STEPS_H
#define CADV_STEPS_H

#include "rules/engine/rule.h"

/* steps_length(s): the number of its launches that are known. */
size_t steps_length(const struct sequence *s);

/* steps_kernel(x, s, i): the ${i}-th kernel; NULL: not known. If all of a step
 * is known, ${i} may go on into the next one. */
const struct kernel *steps_kernel(const struct rule_view *x,
    const struct sequence *s, size_t i);

/* steps_library(x, k): the library that ${k} belongs to; NULL: the user's. */
const struct library *steps_library(const struct rule_view *x,
    const struct kernel *k);

/* steps_does(x, k, operation): is ${k} a library's kernel that does
 * ${operation}? ${k} may be NULL. */
bool steps_does(const struct rule_view *x, const struct kernel *k,
    const char *operation);

/* steps_pointwise(x, k): is ${k} one operator of a framework whose threads read
 * and write only elements of their own index? (False for a compiler's fused
 * kernels.) ${k} may be NULL. */
bool steps_pointwise(const struct rule_view *x, const struct kernel *k);

/* steps_mean_s(k): mean seconds of a launch; 0 without launches. */
double steps_mean_s(const struct kernel *k);

/* A kernel that is shorter than so many launches of the host costs its launch, whatever
 * it does; arithmetic: a longer one hides the launch of the next (relaunch-for-grid-sync's
 * max_kernel). */
#define STEPS_SHORT_LAUNCHES 2

/* The launches of a kernel that a change removes, by view; an array by kernel index. */
struct gone {
	double launches[VIEWS];
};

/*
 * steps_search(x, search, all): calls ${search} for each sequence that repeats at least
 * as often as the rule's threshold min_repeats; it adds to ${all}, and to the result
 * what would be gone of each kernel. NULL without memory; the arena owns the result.
 */
typedef void steps_searcher(const struct rule_view *x,
    const struct sequence *s, void *all, struct gone *gone);
struct gone *steps_search(const struct rule_view *x, steps_searcher *search,
    void *all);

/* steps_parts(x, d, gone): make the kernels in ${gone} the parts of ${d}. -1 without memory. */
int steps_parts(const struct rule_view *x, struct draft *d, const struct gone *gone);

/* steps_found(x, key, gone, k): rule_found for a rule about the run, with parts
 * by ${gone}, at the place that launches ${k} or, if that is no Python line, at
 * the one that launches most of what is gone. NULL without memory. */
struct draft *steps_found(struct rule_view *x, const char *key,
    const struct gone *gone, const struct kernel *k);

/*
 * steps_launch_less(x, d, launches): adds to ${d}, whose parts must be set,
 * what it saves of kernels that nothing waits for, as ${launches} launches go
 * with them. Meanwhile the host is busy launching: a loop takes at least as
 * long as its launches, which are then fewer.
 */
void steps_launch_less(const struct rule_view *x, struct draft *d,
    double launches);

/* steps_all(run, k, is): are all known launches of ${k} at sites for which ${is} is true? False
 * if none is known. */
bool steps_all(const struct run *run, const struct kernel *k,
    bool (*is)(const struct site *s));

/* steps_by_optimizer(s): is a frame of its stack in a file of PyTorch's optimizers, and that
 * not the closure's that L-BFGS calls? */
#define STEPS_LBFGS "/torch/optim/lbfgs"	/* in the path of L-BFGS's file */
bool steps_by_optimizer(const struct site *s);

/* steps_clipping(x, k): the share of its launches, 0..1, with which an optimizer clips
 * gradients: one that does so itself does it for each parameter. 0 if no site is known. */
double steps_clipping(const struct rule_view *x, const struct kernel *k);

/* steps_in_optimizer(x, k): the share of its launches, 0..1, that a PyTorch optimizer
 * makes, whatever it does; 0 if no site is known. */
double steps_in_optimizer(const struct rule_view *x, const struct kernel *k);

/* steps_optimizer(x, k): the share of its launches, 0..1, that a PyTorch
 * optimizer makes for single tensors, by launch site (pointwise, or to clip) or,
 * if that is not known, by operations that only optimizers do. */
double steps_optimizer(const struct rule_view *x, const struct kernel *k);

/*
 * steps_of_lists(x, s, in): set ${in} for the launches of a step that belong to a row
 * of PyTorch's pointwise operators in which the same code goes over arrays of
 * different sizes, one after the other. Loops over a model's parameters do so; a loop
 * over time has one size, and the layers of a network have other kernels in between.
 */
void steps_of_lists(const struct rule_view *x, const struct sequence *s,
    bool in[SEQUENCE_MAX]);

/*
 * steps_updates(x, optimizer, list): the share of each kernel's launches, 0..1, that
 * update single tensors: in ${optimizer}, an optimizer's, as steps_optimizer says, or
 * without sites those in a row with one of its; in ${list}, those of steps_of_lists. Both
 * by kernel index.
 */
void steps_updates(const struct rule_view *x, double *optimizer, double *list);

#endif
