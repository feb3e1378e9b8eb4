/*
 * rules/evidence/framework.h: which framework submitted the work of a finding, and what
 * the practice is called there: config/frameworks.json, which is compiled in. Pure.
 */
#ifndef CADV_FRAMEWORK_H
#define CADV_FRAMEWORK_H

#include "rules/engine/rule.h"

/* framework_words(x, d): put the advice of ${d} into the words of the framework
 * that it comes from, where that has words for the rule. */
void framework_words(const struct rule_view *x, struct draft *d);

/* framework_of_run(x): the entry of config/frameworks.json whose libraries have the most time,
 * more than half, by the names of the run's kernels (x->libraries); NULL: none. The engine asks
 * once: runs have thousands of kernels, and of few libraries. */
const struct json_t *framework_of_run(const struct rule_view *x);

/* framework_tunes(s): does a compiler or library make the call in order to try out
 * which variant is fastest? That is part of compiling, not of the program's loop. */
bool framework_tunes(const struct site *s);

/* framework_differentiates(s): does a framework's backward pass make the call?
 * framework_trains(run): does one make any call of the run? */
bool framework_differentiates(const struct site *s);
bool framework_trains(const struct run *run);

/* framework_waits_for_backward(s): is the thread, by its Python, in a backward pass that
 * another thread runs? */
bool framework_waits_for_backward(const struct site *s);

/* framework_begins_backward(s), framework_accumulates(s): does the call make the gradient that
 * a backward pass begins with, or add a gradient to one that is there? */
bool framework_begins_backward(const struct site *s);
bool framework_accumulates(const struct site *s);

/* framework_sums(s): does a backward pass add up gradients of one tensor there, of several uses
 * or with one that is there already? */
bool framework_sums(const struct site *s);

/* framework_copies_back(s): does a backward pass copy a gradient back from where a tensor was
 * copied to? framework_copies_into(s): is it a copy into a tensor that is there already? */
bool framework_copies_back(const struct site *s);
bool framework_copies_into(const struct site *s);

/* framework_calls_back(s): is the call made where a program that runs on the GPU has called a
 * function on the host, and waits for it? */
bool framework_calls_back(const struct site *s);

/* framework_loops(s): is the call made in a loop that the framework has compiled, and which
 * the host runs, launch by launch? */
bool framework_loops(const struct site *s);

/* framework_loop_depth(s): how many such loops it is in, one in the other. */
size_t framework_loop_depth(const struct site *s);

/* framework_recurs(s), framework_recurs_back(s): is the call made by a framework's recurrent
 * layer, which takes all positions of a sequence at once, or by its backward pass? */
bool framework_recurs(const struct site *s);
bool framework_recurs_back(const struct site *s);

/* framework_coalesces(s), framework_multiplies_sparse(s): is it made where a framework sorts
 * and adds up the entries of a sparse matrix, or by a product that does so first? */
bool framework_coalesces(const struct site *s);
bool framework_multiplies_sparse(const struct site *s);

/* framework_feeds(s): is it made by an operator with which the next input of such a layer is
 * made of its last output: attention, or the choice of a token? */
bool framework_feeds(const struct site *s);

/* framework_caches(s): is it made by a package's model that keeps keys and values of the tokens
 * before, for generating one after the other? */
bool framework_caches(const struct site *s);

/* framework_compiles(s): does a compiler make the call while it compiles, or in order to
 * try out what it made? Not a library that tries out what it has. */
bool framework_compiles(const struct site *s);

/* framework_tunes_itself(s): the same, but not within a compiler, as XLA does. */
bool framework_tunes_itself(const struct site *s);

/* framework_in_compiler(s): is Python in a compiler, whether that launches anything or not? */
bool framework_in_compiler(const struct site *s);

/* framework_searches(s): is it part of a long search, which was asked for (torch.compile's
 * mode="max-autotune")? */
bool framework_searches(const struct site *s);

/* framework_keeps(s): is it a trial whose outcome is kept on disk, for later runs? */
bool framework_keeps(const struct site *s);

/* framework_starts_workers(s): does a loader start or end its worker processes there? */
bool framework_starts_workers(const struct site *s);

/* framework_loads(s), framework_collates(s): is the call below a framework's loader of
 * input, or where that puts the elements of a batch together? */
bool framework_loads(const struct site *s);
bool framework_collates(const struct site *s);

/* framework_fetches(s): does a loader of a framework's itself take a batch's elements from the
 * data there? With workers these do. */
bool framework_fetches(const struct site *s);

/* framework_calls_module(s): is it made where a framework calls a module of a model, or a
 * function that a program differentiates by itself? */
bool framework_calls_module(const struct site *s);

/* framework_within(s): does a line of the program's own, which such a call has called, make
 * it? Not what the framework does by itself there (it hands a batch to several GPUs), or a
 * loader. */
bool framework_within(const struct site *s);

/* framework_pools(s): does a framework's caching allocator make the call? It keeps the
 * memory of freed tensors for later ones, until the process ends. */
bool framework_pools(const struct site *s);

/* framework_moves(s): does the call move a model's parameters, from or to the GPU? */
bool framework_moves(const struct site *s);

/* framework_tuned(run, calls): the share of these calls, a set of 1ull << enum
 * wire_call, that is made for that, 0..1. 0 if no site is known. */
double framework_tuned(const struct run *run, uint64_t calls);

/* framework_launches(run, kernel): the share of the launches of kernel id ${kernel} that
 * compilers make, to try out variants or while they compile; 0 if no site is known. */
double framework_launches(const struct run *run, uint32_t kernel);

#endif
