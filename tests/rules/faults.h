/*
 * rules/faults.h: runs (made.h) with one fault each, named after it, and runs
 * that come close to one. Each fills a run that made_init made.
 */
#ifndef TEST_FAULTS_H
#define TEST_FAULTS_H

#include "rules/made.h"

void fault_good(struct made *m);
void fault_no_permission(struct made *m);
void fault_no_occupancy(struct made *m);
void fault_nothing(struct made *m);
void fault_scattered(struct made *m);
void fault_broadcast(struct made *m);
void fault_wide_unknown(struct made *m);
void fault_spilling(struct made *m);
void fault_conflicted(struct made *m);
void fault_padded(struct made *m);
void fault_divergent(struct made *m);
void fault_idle(struct made *m);
void fault_ragged_block(struct made *m);
void fault_one_block(struct made *m);
void fault_persistent(struct made *m);
void fault_tiny_blocks(struct made *m);
void fault_many_registers(struct made *m);
void fault_tensor_kernel(struct made *m);
void fault_tensor_uncounted(struct made *m);
void fault_conflicted_sass(struct made *m);
void fault_scattered_sass(struct made *m);
void fault_partial_wave(struct made *m);
void fault_uneven(struct made *m);
void fault_small_copies(struct made *m);
void fault_pageable(struct made *m);
void fault_pinned(struct made *m);
void fault_taking_turns(struct made *m);
void fault_overlapped(struct made *m);
void fault_allocating(struct made *m);
void fault_allocating_once(struct made *m);
void fault_launch_bound(struct made *m);
void fault_in_graph(struct made *m);
void fault_blocking(struct made *m);
void fault_syncing(struct made *m);
void fault_syncing_once(struct made *m);
void fault_waiting(struct made *m);
void fault_one_phase(struct made *m);
void fault_failing(struct made *m);
void fault_failing_checked(struct made *m);
void fault_leaking(struct made *m);
void fault_still_running(struct made *m);

#endif
