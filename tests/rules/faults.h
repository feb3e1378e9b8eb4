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
void fault_ragged_alone(struct made *m);
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

/* faults_launch.c: work that is shared out badly. */
void fault_one_thread(struct made *m);
void fault_one_lane(struct made *m);
void fault_one_by_one(struct made *m);
void fault_one_warp(struct made *m);
void fault_eight_warps(struct made *m);
void fault_narrow_block(struct made *m);
void fault_odd_block(struct made *m);
void fault_wide_enough(struct made *m);
void fault_columns(struct made *m);
void fault_flat_block(struct made *m);
void fault_narrow_unknown(struct made *m);
void fault_triangle(struct made *m);
void fault_equal_rows(struct made *m);
void fault_triangle_of_memory(struct made *m);
void fault_blocks_left_over(struct made *m);
void fault_short_blocks(struct made *m);
void fault_setting_up(struct made *m);
void fault_streaming(struct made *m);
void fault_busy_blocks(struct made *m);

/* faults_check.c: runs of correctness tools. */
struct defect *fault_defect(struct made *m, enum wire_tool tool,
    enum wire_defect kind);
void fault_checked(struct made *m);
void fault_out_of_bounds(struct made *m);
void fault_cut_short(struct made *m);
/* faults_transfer.c: copies, managed memory, several GPUs. */
void fault_one_way(struct made *m);
void fault_both_ways(struct made *m);
void fault_there_then_back(struct made *m);
void fault_one_engine(struct made *m);
void fault_blocking_turns(struct made *m);
void fault_migrating(struct made *m);
void fault_migrating_untold(struct made *m);
void fault_first_touch_untold(struct made *m);
void fault_prefetched(struct made *m);
void fault_first_touch(struct made *m);
void fault_unwatched(struct made *m);
void fault_round_trips(struct made *m);
void fault_round_trips_blocking(struct made *m);
void fault_staging_buffer(struct made *m);
void fault_sent_once(struct made *m);
void fault_unlocated(struct made *m);
void fault_staged(struct made *m);
void fault_staged_untold(struct made *m);
void fault_slow_peer(struct made *m);
void fault_direct(struct made *m);
void fault_no_peers(struct made *m);
void fault_peers_unknown(struct made *m);
void fault_in_turn(struct made *m);
void fault_uneven_gpus(struct made *m);
void fault_side_by_side(struct made *m);
void fault_one_of_two(struct made *m);
void fault_hidden_gpu(struct made *m);

/* faults_arithmetic.c: kernels with code, too. */
void fault_dividing(struct made *m);
void fault_dividing_by_each(struct made *m);
void fault_dividing_in_loop(struct made *m);
void fault_dividing_by_parameter(struct made *m);
void fault_remainders(struct made *m);
void fault_dividing_long(struct made *m);
void fault_multiplying(struct made *m);
void fault_hidden_divisions(struct made *m);
void fault_matrices(struct made *m);
void fault_matrices_ahead(struct made *m);
void fault_on_tensor_cores(struct made *m);
void fault_taps(struct made *m);
void fault_vectors(struct made *m);
void fault_hidden_matrices(struct made *m);
void fault_narrow_rows(struct made *m);
void fault_narrow_gather(struct made *m);
/* faults_host.c: how work is cut up, queued and started. */
void fault_three_passes(struct made *m);
void fault_passes_uncounted(struct made *m);
void fault_passes_apart(struct made *m);
void fault_sum_of_all(struct made *m);
void fault_handed_over(struct made *m);
void fault_own_elements(struct made *m);
void fault_neighbours(struct made *m);
void fault_copied_back(struct made *m);
void fault_scaled_back(struct made *m);
void fault_two_inputs(struct made *m);
void fault_back_and_forth(struct made *m);
void fault_too_many_threads(struct made *m);
void fault_launched_again(struct made *m);
void fault_compiling(struct made *m);
void fault_compiled_before(struct made *m);
void fault_taking_turns_by_stream(struct made *m);
void fault_turns_without_room(struct made *m);
void fault_one_stream(struct made *m);
void fault_handed_on(struct made *m);
void fault_relaunched(struct made *m);
void fault_relaunched_wide(struct made *m);
void fault_relaunched_after_copies(struct made *m);

/* faults_source.c: kernels with code. */
void fault_code_clean(struct made *m);
void fault_fields(struct made *m);
void fault_fields_small(struct made *m);
void fault_rows(struct made *m);
void fault_shifted(struct made *m);
void fault_stencil(struct made *m);
void fault_filter(struct made *m);
void fault_narrow(struct made *m);
void fault_wide(struct made *m);
void fault_floats(struct made *m);
void fault_few_in_flight(struct made *m);
void fault_uniform(struct made *m);
void fault_uniform_in_block(struct made *m);
void fault_uniform_by_table(struct made *m);
void fault_contended(struct made *m);
void fault_added_once(struct made *m);
void fault_scattered_atomics(struct made *m);
void fault_shared_contended(struct made *m);
void fault_shared_retries(struct made *m);
void fault_histogram(struct made *m);
void fault_tree(struct made *m);
void fault_shared_stencil(struct made *m);
void fault_tree_unrolled(struct made *m);
void fault_shuffled(struct made *m);
void fault_tile(struct made *m);
void fault_sines(struct made *m);
void fault_fast_sines(struct made *m);
void fault_hidden_sines(struct made *m);
void fault_double(struct made *m);
void fault_double_data(struct made *m);
void fault_double_sum(struct made *m);
void fault_until_near(struct made *m);
void fault_gather(struct made *m);
void fault_unfused(struct made *m);
void fault_shared_product(struct made *m);
void fault_short_loop(struct made *m);
void fault_unrolled(struct made *m);
void fault_search(struct made *m);
void fault_aliased(struct made *m);
void fault_restricted(struct made *m);
void fault_in_place(struct made *m);
void fault_without_lines(struct made *m);
void fault_library(struct made *m);
void fault_no_cubin(struct made *m);
void fault_debug(struct made *m);
void fault_launching(struct made *m);
void fault_launching_large(struct made *m);
void fault_launching_few(struct made *m);
void fault_launching_none(struct made *m);
void fault_launching_seldom(struct made *m);
void fault_launching_uncounted(struct made *m);
void fault_launching_unknown(struct made *m);
void fault_no_disassembler(struct made *m);
void fault_not_counted(struct made *m);

/* faults_stalls.c: kernels that wait. */
void fault_barriers(struct made *m);
void fault_few_barriers(struct made *m);
void fault_short_barriers(struct made *m);
void fault_busy_barriers(struct made *m);
void fault_few_samples(struct made *m);
void fault_chain(struct made *m);
void fault_chain_alone(struct made *m);
void fault_turns(struct made *m);
void fault_large_code(struct made *m);
void fault_small_code(struct made *m);
void fault_fetched(struct made *m);
/* faults_memory.c */
void fault_naive_product(struct made *m);
void fault_coefficients(struct made *m);
void fault_coefficients_own(struct made *m);
void fault_naive_product_counted(struct made *m);
void fault_sum_in_memory(struct made *m);
void fault_sums_stored(struct made *m);
void fault_sum_shown(struct made *m);
void fault_gathered_product(struct made *m);
void fault_one_result(struct made *m);
void fault_many_results(struct made *m);
void fault_turned_tile(struct made *m);
void fault_tensor_tile(struct made *m);
void fault_small_tile(struct made *m);
void fault_from_l2_once(struct made *m);
void fault_zero_copy(struct made *m);
void fault_zero_copy_once(struct made *m);
void fault_zero_copy_unseen(struct made *m);
void fault_zero_copy_stores(struct made *m);
void fault_sweeping(struct made *m);
void fault_streaming_once(struct made *m);
void fault_all_shared(struct made *m);
void fault_all_shared_by_driver(struct made *m);
void fault_small_carveout(struct made *m);
void fault_large_block(struct made *m);
void fault_lookup(struct made *m);
void fault_lookup_by_block(struct made *m);
void fault_lookup_hidden(struct made *m);
void fault_one_load(struct made *m);
void fault_one_load_counted(struct made *m);
void fault_chase(struct made *m);
void fault_half_counted(struct made *m);

/* faults_sampled.c. fault_uncount takes the counts of the first kernel away;
 * fault_sample turns them into samples: of ${issue} of the time, 0..1, warps are
 * issued. */
void fault_uncount(struct made *m);
void fault_sample(struct made *m, double issue);
void fault_sampled_atomics(struct made *m);
void fault_sampled_atomics_busy(struct made *m);
void fault_sampled_conflicts(struct made *m);
void fault_sampled_shared(struct made *m);
void fault_sampled_units(struct made *m);
void fault_sampled_latency(struct made *m);
void fault_sampled_rows(struct made *m);
void fault_sampled_rows_of(struct made *m);
void fault_sampled_columns(struct made *m);
void fault_sampled_objects(struct made *m);
void fault_sampled_trips(struct made *m);
void fault_sampled_tree(struct made *m);
void fault_sampled_row(struct made *m);
void fault_sampled_stencil(struct made *m);
void fault_sampled_scan(struct made *m);

/* faults_loads.c: what is loaded for nothing, too late, or too often. */
void fault_masks(struct made *m);
void fault_clamped(struct made *m);
void fault_summed(struct made *m);
void fault_asked_for_more(struct made *m);
void fault_masks_hidden(struct made *m);
void fault_doubles_for_floats(struct made *m);
void fault_doubles_used(struct made *m);
void fault_index_in_turn(struct made *m);
void fault_index_ahead(struct made *m);
void fault_index_cheap(struct made *m);
void fault_list(struct made *m);
void fault_index_hidden(struct made *m);
void fault_index_unsampled(struct made *m);
void fault_tile_a_warp(struct made *m);
void fault_tile_of_rows(struct made *m);
void fault_tiles_side_by_side(struct made *m);
void fault_tiles_in_shared(struct made *m);
void fault_tensors_busy(struct made *m);

/* faults_framework.c: frameworks' kernels, known by their names. */
void fault_pointwise(struct made *m);
void fault_pointwise_two(struct made *m);
void fault_pointwise_compiled(struct made *m);
void fault_attention(struct made *m);
void fault_classifier(struct made *m);
void fault_softmax_last(struct made *m);
void fault_single_updates(struct made *m);
void fault_updates_at_once(struct made *m);
void fault_converting(struct made *m);
void fault_converting_once(struct made *m);
void fault_unaligned(struct made *m);
void fault_aligned(struct made *m);
void fault_few_places(struct made *m);
void fault_many_places(struct made *m);
void fault_sorted_first(struct made *m);
void fault_few_places_uncounted(struct made *m);
void fault_training_tf32(struct made *m);
void fault_training_bf16(struct made *m);
void fault_inference_tf32(struct made *m);
void fault_training_small(struct made *m);
void fault_recompiling(struct made *m);
void fault_compiling_once(struct made *m);
void fault_compiling_early(struct made *m);
void fault_loading_late(struct made *m);
void fault_aligned_to_one(struct made *m);

#endif
