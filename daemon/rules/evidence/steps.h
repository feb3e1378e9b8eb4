/*
 * rules/evidence/steps.h: the kernels of a launch sequence that repeats, as a step of
 * a loop: what is behind the last is the first of the next. Pure.
 */
#ifndef CADV_STEPS_H
#define CADV_STEPS_H

#include "rules/engine/rule.h"

/* steps_length(s): how many of its launches are known. */
size_t steps_length(const struct sequence *s);

/* steps_kernel(x, s, i): the ${i}-th; NULL: it is not known. Where all of a step
 * are, ${i} may be more than one step's. */
const struct kernel *steps_kernel(const struct rule_view *x,
    const struct sequence *s, size_t i);

/* steps_library(x, k): whose it is; NULL: the user's. */
const struct library *steps_library(const struct rule_view *x,
    const struct kernel *k);

/* steps_does(x, k, operation): is it a library's that does that? ${k} may be
 * NULL. */
bool steps_does(const struct rule_view *x, const struct kernel *k,
    const char *operation);

/* steps_pointwise(x, k): does each of its threads read and write only elements of
 * its own index, as one operator of a framework? Not what a compiler fused. */
bool steps_pointwise(const struct rule_view *x, const struct kernel *k);

/* steps_mean_s(k): seconds of one launch. */
double steps_mean_s(const struct kernel *k);

/* How much of a kernel's launches is gone, by index, in each view. */
struct gone {
	double launches[VIEWS];
};

/*
 * steps_search(x, search, all): calls ${search} for each sequence that repeats at least
 * as often as the rule's threshold min_repeats says; it adds to ${all} and notes what
 * would be gone, by kernel. NULL without memory.
 */
typedef void steps_searcher(const struct rule_view *x,
    const struct sequence *s, void *all, struct gone *gone);
struct gone *steps_search(const struct rule_view *x, steps_searcher *search,
    void *all);

/* steps_found(x, key, gone, k): rule_found of a rule about the run by what ${gone} says
 * of its kernels, at the place that launches ${k}, or, where that is no line of
 * Python's, at the one that launches most of them. NULL without memory. */
struct draft *steps_found(struct rule_view *x, const char *key,
    const struct gone *gone, const struct kernel *k);

/*
 * steps_launch_less(x, d, launches): what ${d}, whose parts are settled, saves of kernels
 * that nobody waits for, as so many launches go with them. Meanwhile the host is busy,
 * launching: a loop is no shorter than its launches take, and these are fewer.
 */
void steps_launch_less(const struct rule_view *x, struct draft *d,
    double launches);

/* steps_optimizer(x, k): the share of its launches, 0..1, that an optimizer of
 * PyTorch makes for single tensors, by where they are launched or, where that is
 * not known, by what only optimizers do. */
double steps_optimizer(const struct rule_view *x, const struct kernel *k);

/*
 * steps_of_lists(x, s, in): which launches of a step are part of a row of PyTorch's
 * pointwise operators in which the same code goes over arrays of different sizes, one
 * after the other. So do loops over a model's parameters; a loop over time has one
 * size, and the layers of a network have other kernels in between.
 */
void steps_of_lists(const struct rule_view *x, const struct sequence *s,
    bool in[SEQUENCE_MAX]);

#endif
