/*
 * Every rule in three cases: it fires on a run that was made to have the fault;
 * it is quiet on the run without the fault, and so is every other rule; and it
 * gives the reason if its data is missing. lint-rules requires a row here for
 * each rule whose pair is not recorded.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/reads.h"

#include "rules/engine/coded.h"
#include "rules/callers.h"
#include "unit/advise.h"

#define QUIET_MOST 5

static const struct row {
	const char *rule;
	builder *fires, *quiet[QUIET_MOST], *nodata;
} rows[] = {
	{ "uncoalesced-global-access", fault_scattered,
	  { fault_good, fault_broadcast }, fault_no_permission },
	{ "local-memory-spill", fault_spilling,
	  { fault_good }, fault_no_permission },
	{ "shared-bank-conflicts", fault_conflicted,
	  { fault_good, fault_padded }, fault_no_permission },
	{ "warp-divergence", fault_divergent,
	  { fault_good, fault_idle }, fault_no_permission },
	{ "idle-lanes", fault_idle,
	  { fault_good, fault_divergent }, fault_no_permission },
	{ "grid-too-small", fault_one_block,
	  { fault_good, fault_persistent }, fault_nothing },
	{ "block-not-warp-multiple", fault_ragged_block,
	  { fault_good, fault_ragged_alone }, fault_nothing },
	{ "block-size-suboptimal", fault_tiny_blocks,
	  { fault_good }, fault_no_occupancy },
	{ "low-theoretical-occupancy", fault_many_registers,
	  { fault_good, fault_tiny_blocks }, fault_no_occupancy },
	{ "tail-effect", fault_partial_wave,
	  { fault_good, fault_one_block }, fault_no_occupancy },
	{ "low-achieved-occupancy", fault_uneven,
	  { fault_good, fault_persistent }, fault_no_permission },
	{ "many-small-copies", fault_small_copies,
	  { fault_good, fault_pinned }, fault_nothing },
	{ "pageable-host-memory", fault_pageable,
	  { fault_good, fault_pinned }, fault_nothing },
	{ "no-copy-compute-overlap", fault_taking_turns,
	  { fault_good, fault_overlapped }, fault_nothing },
	{ "allocation-in-hot-path", fault_allocating,
	  { fault_good, fault_allocating_once }, fault_nothing },
	{ "launch-bound-graph-candidate", fault_launch_bound,
	  { fault_good, fault_in_graph }, fault_nothing },
	{ "synchronous-copies", fault_blocking,
	  { fault_good, fault_pinned }, fault_nothing },
	{ "copy-engine-serialised", fault_one_way,
	  { fault_good, fault_both_ways, fault_there_then_back,
	    fault_one_engine }, fault_nothing },
	{ "unified-memory-faults", fault_migrating,
	  { fault_good, fault_prefetched, fault_first_touch,
	    fault_first_touch_untold },
	  fault_unwatched },
	{ "redundant-transfers", fault_round_trips,
	  { fault_good, fault_sent_once }, fault_unlocated },
	{ "peer-access-off", fault_staged,
	  { fault_good, fault_direct, fault_no_peers }, fault_peers_unknown },
	{ "idle-gpus", fault_in_turn,
	  { fault_good, fault_side_by_side, fault_hidden_gpu },
	  fault_nothing },
	{ "device-sync-overuse", fault_syncing,
	  { fault_good, fault_syncing_once }, fault_nothing },
	{ "gpu-idle-gaps", fault_waiting,
	  { fault_good, fault_one_phase }, fault_nothing },
	{ "sanitizer-findings", fault_out_of_bounds,
	  { fault_checked }, fault_cut_short },
	{ "kernel-fusion-candidate", fault_three_passes,
	  { fault_good, fault_passes_apart, fault_sum_of_all,
	    fault_two_inputs }, fault_passes_uncounted },
	{ "launch-failures", fault_too_many_threads, { fault_good },
	  fault_nothing },
	{ "legacy-default-stream", fault_taking_turns_by_stream,
	  { fault_good, fault_turns_without_room }, fault_nothing },
	{ "relaunch-for-grid-sync", fault_relaunched,
	  { fault_good, fault_relaunched_wide, fault_relaunched_after_copies },
	  fault_nothing },
	{ "single-stream-serialisation", fault_one_stream,
	  { fault_good, fault_handed_on }, fault_nothing },
	{ "jit-at-startup", fault_compiling, { fault_compiled_before },
	  fault_good },
	{ "unchecked-errors", fault_failing,
	  { fault_good, fault_failing_checked }, fault_nothing },
	{ "device-memory-leak", fault_leaking,
	  { fault_good }, fault_still_running },
	{ "array-of-structures", fault_fields,
	  { fault_code_clean, fault_rows, fault_wide }, fault_no_disassembler },
	{ "misaligned-access", fault_shifted,
	  { fault_code_clean, fault_stencil, fault_filter },
	  fault_no_permission },
	{ "uniform-global-load", fault_uniform,
	  { fault_code_clean, fault_uniform_in_block, fault_uniform_by_table },
	  fault_no_disassembler },
	{ "global-atomic-contention", fault_contended,
	  { fault_code_clean, fault_added_once, fault_scattered_atomics },
	  fault_not_counted },
	{ "shared-atomic-contention", fault_shared_contended,
	  { fault_code_clean, fault_histogram, fault_tile },
	  fault_not_counted },
	{ "shuffle-reduction", fault_tree,
	  { fault_shuffled, fault_tile, fault_code_clean,
	    fault_shared_stencil, fault_scanned },
	  fault_no_disassembler },
	{ "double-precision", fault_double,
	  { fault_code_clean, fault_double_data, fault_double_sum,
	    fault_double_loaded },
	  fault_no_disassembler },
	{ "slow-math-functions", fault_sines,
	  { fault_code_clean, fault_fast_sines, fault_hidden_sines },
	  fault_not_counted },
	{ "unfused-multiply-add", fault_unfused,
	  { fault_code_clean, fault_shared_product, fault_tile },
	  fault_no_disassembler },
	{ "narrow-access", fault_narrow,
	  { fault_code_clean, fault_wide, fault_floats, fault_gather },
	  fault_no_disassembler },
	{ "loop-not-unrolled", fault_short_loop,
	  { fault_code_clean, fault_unrolled, fault_search,
	    fault_until_near },
	  fault_no_disassembler },
	{ "read-only-path-unused", fault_aliased,
	  { fault_code_clean, fault_restricted, fault_in_place },
	  fault_no_disassembler },
	{ "barrier-stalls", fault_barriers,
	  { fault_few_barriers, fault_short_barriers, fault_busy_barriers,
	    fault_chain }, fault_few_samples },
	{ "low-ilp", fault_chain,
	  { fault_chain_alone, fault_turns, fault_barriers },
	  fault_few_samples },
	{ "instruction-cache-misses", fault_large_code,
	  { fault_small_code, fault_fetched, fault_chain }, fault_good },
	{ "block-shape-breaks-rows", fault_narrow_block,
	  { fault_good, fault_wide_enough, fault_columns, fault_flat_block },
	  fault_narrow_unknown },
	{ "integer-division", fault_dividing,
	  { fault_code_clean, fault_multiplying, fault_hidden_divisions,
	    fault_unfused }, fault_no_disassembler },
	{ "tensor-cores-unused", fault_matrices,
	  { fault_on_tensor_cores, fault_taps, fault_vectors,
	    fault_hidden_matrices }, fault_no_disassembler },
	{ "serial-kernel", fault_one_thread,
	  { fault_good, fault_one_lane, fault_one_by_one, fault_eight_warps },
	  fault_no_permission },
	{ "sm-imbalance", fault_triangle,
	  { fault_one_block, fault_partial_wave, fault_equal_rows,
	    fault_triangle_of_memory }, fault_no_permission },
	{ "too-many-blocks-little-work", fault_short_blocks,
	  { fault_good, fault_streaming, fault_busy_blocks },
	  fault_no_permission },
	{ "host-memory-access", fault_zero_copy,
	  { fault_naive_product, fault_zero_copy_once },
	  fault_zero_copy_unseen },
	{ "l2-thrash", fault_sweeping,
	  { fault_naive_product, fault_streaming_once, fault_uneven },
	  fault_no_permission },
	{ "cache-config-mismatch", fault_all_shared,
	  { fault_good, fault_all_shared_by_driver, fault_large_block },
	  fault_no_occupancy },
	{ "divergent-constant-access", fault_lookup,
	  { fault_lookup_by_block, fault_lookup_hidden },
	  fault_no_disassembler },
	{ "low-memory-throughput", fault_one_load,
	  { fault_good, fault_chase, fault_half_counted },
	  fault_no_permission },
	{ "redundant-global-traffic", fault_naive_product,
	  { fault_good, fault_gathered_product, fault_turned_tile,
	    fault_from_l2_once }, fault_no_permission },
	{ "wide-values", fault_masks,
	  { fault_code_clean, fault_summed, fault_masks_hidden,
	    fault_wide }, fault_no_disassembler },
	{ "dependent-loads", fault_index_in_turn,
	  { fault_index_ahead, fault_index_cheap, fault_list,
	    fault_index_hidden }, fault_index_unsampled },
	{ "tensor-operands-reloaded", fault_tile_a_warp,
	  { fault_code_clean, fault_tiles_side_by_side, fault_tiles_in_shared,
	    fault_tensors_busy }, fault_no_disassembler },
	{ "missing-lineinfo", fault_without_lines,
	  { fault_code_clean }, fault_no_cubin },
	{ "debug-build", fault_debug,
	  { fault_code_clean, fault_without_lines }, fault_good },
	{ "dynamic-parallelism-overhead", fault_launching,
	  { fault_code_clean, fault_launching_large, fault_launching_few,
	    fault_launching_none }, fault_launching_unknown },
	{ "eager-pointwise-chain", fault_pointwise,
	  { fault_good, fault_pointwise_two, fault_pointwise_compiled,
	    fault_single_updates }, fault_nothing },
	{ "unfused-attention", fault_attention,
	  { fault_good, fault_classifier, fault_softmax_last },
	  fault_nothing },
	{ "unfused-optimizer", fault_single_updates,
	  { fault_good, fault_updates_at_once, fault_pointwise },
	  fault_nothing },
	{ "weights-converted", fault_weights_each_call,
	  { fault_activations_converted, fault_weights_trained, fault_weights_once,
	    fault_activations_widened }, fault_nothing },
	{ "layout-conversions", fault_converting,
	  { fault_good, fault_converting_once }, fault_nothing },
	{ "library-misaligned", fault_unaligned,
	  { fault_good, fault_aligned, fault_aligned_to_one },
	  fault_nothing },
	{ "scatter-contention", fault_few_places,
	  { fault_good, fault_many_places, fault_sorted_first },
	  fault_few_places_uncounted },
	{ "low-precision-unused", fault_training_tf32,
	  { fault_good, fault_training_bf16, fault_inference_tf32,
	    fault_training_small }, fault_nothing },
	{ "recompilation", fault_recompiling,
	  { fault_good, fault_compiling_once, fault_compiling_early,
	    fault_compiling_last,
	    fault_loading_late },
	  fault_nothing },
};

/* More variants of the faults: with the counters of another chip's groups, with
 * other code. */
static const struct row others[] = {
	{ "uncoalesced-global-access", fault_scattered_sass,
	  { fault_good }, fault_no_permission },
	{ "shared-bank-conflicts", fault_conflicted_sass,
	  { fault_good }, fault_no_permission },
	{ "array-of-structures", fault_fields_small,
	  { fault_good }, fault_good },
	{ "uncoalesced-global-access", fault_rows, { fault_good }, fault_good },
	{ "kernel-fusion-candidate", fault_handed_over,
	  { fault_good }, fault_passes_uncounted },
	{ "kernel-fusion-candidate", fault_copied_back,
	  { fault_scaled_back }, fault_passes_uncounted },
	{ "kernel-fusion-candidate", fault_step,
	  { fault_step_of_others }, fault_good },
	{ "kernel-fusion-candidate", fault_step_of_warps,
	  { fault_step_of_rows }, fault_good },
	{ "kernel-fusion-candidate", fault_transforms,
	  { fault_transforms_permuted }, fault_good },
	{ "kernel-fusion-candidate", fault_transforms_reduced,
	  { fault_transforms_copied, fault_transforms_sorted }, fault_good },
	{ "kernel-fusion-candidate", fault_state,
	  { fault_state_of_neighbours, fault_state_of_others }, fault_good },
	{ "kernel-fusion-candidate", fault_state_and_table,
	  { fault_state_and_neighbours, fault_state_of_before,
	    fault_state_among_others }, fault_good },
	{ "kernel-fusion-candidate", fault_state_divided,
	  { fault_state_of_neighbours }, fault_good },
	{ "kernel-fusion-candidate", fault_one_vector_each,
	  { fault_one_vector_of_many }, fault_good },
	{ "kernel-fusion-candidate", fault_own_elements,
	  { fault_neighbours }, fault_passes_uncounted },
	{ "shared-atomic-contention", fault_shared_retries,
	  { fault_good }, fault_good },
	{ "low-precision-unused", fault_training_persistent,
	  { fault_training_small }, fault_nothing },
	{ "unfused-optimizer", fault_list_of_arrays,
	  { fault_one_array, fault_arrays_of_their_own }, fault_nothing },
	{ "shuffle-reduction", fault_tree_unrolled,
	  { fault_good }, fault_good },
	{ "global-atomic-contention", fault_binned,
	  { fault_own_words }, fault_good },
	{ "double-precision", fault_double_inside,
	  { fault_double_data, fault_double_sum }, fault_no_permission },
	{ "double-precision", fault_double_kept,
	  { fault_double_result }, fault_good },
	{ "double-precision", fault_double_function,
	  { fault_double_function_summed }, fault_good },
	{ "double-precision", fault_double_between,
	  { fault_good }, fault_good },
	{ "narrow-access", fault_few_in_flight, { fault_good }, fault_good },
	{ "narrow-access", fault_bytes_in_turn, { fault_good }, fault_good },
	{ "uniform-global-load", fault_crowded_in_block,
	  { fault_good }, fault_good },
	{ "loop-not-unrolled", fault_searching,
	  { fault_searching_near, fault_searching_batches,
	    fault_searching_list }, fault_good },
	{ "loop-not-unrolled", fault_searching_unrolled,
	  { fault_searching_batches }, fault_good },
	{ "loop-not-unrolled", fault_searching_rows,
	  { fault_searching_stored }, fault_good },
	{ "loop-not-unrolled", fault_searching_ladder,
	  { fault_searching_ladder_near, fault_searching_ladder_list,
	    fault_searching_ladder_ahead, fault_searching_ladder_skipped },
	  fault_good },
	{ "loop-not-unrolled", fault_load_store,
	  { fault_load_store_together, fault_load_store_own }, fault_good },
	{ "redundant-global-traffic", fault_clamped_taps,
	  { fault_clamped_taps_hidden }, fault_good },
	{ "block-shape-breaks-rows", fault_odd_block,
	  { fault_good }, fault_good },
	{ "block-shape-breaks-rows", fault_narrow_rows,
	  { fault_good }, fault_good },
	{ "redundant-transfers", fault_appended,
	  { fault_snapshots, fault_copied_once }, fault_unlocated },
	{ "integer-division", fault_dividing_by_each,
	  { fault_good }, fault_good },
	{ "integer-division", fault_dividing_by_parameter,
	  { fault_good }, fault_good },
	{ "integer-division", fault_remainders, { fault_good }, fault_good },
	{ "integer-division", fault_dividing_long, { fault_good }, fault_good },
	{ "tensor-cores-unused", fault_matrices_ahead,
	  { fault_good }, fault_good },
	{ "tensor-cores-unused", fault_matrices_stored,
	  { fault_good }, fault_good },
	{ "tensor-cores-unused", fault_matrices_of_halves,
	  { fault_vectors_of_halves }, fault_good },
	{ "serial-kernel", fault_one_warp, { fault_good }, fault_good },
	{ "serial-kernel", fault_one_scans, { fault_good, fault_one_adds_few },
	  fault_good },
	{ "sm-imbalance", fault_blocks_left_over, { fault_good }, fault_good },
	{ "too-many-blocks-little-work", fault_setting_up,
	  { fault_good }, fault_good },
	{ "host-memory-access", fault_zero_copy_stores,
	  { fault_good }, fault_no_permission },
	{ "cache-config-mismatch", fault_small_carveout,
	  { fault_good }, fault_no_permission },
	{ "low-memory-throughput", fault_one_load_counted,
	  { fault_good }, fault_no_permission },
	{ "redundant-global-traffic", fault_naive_product_counted,
	  { fault_good }, fault_no_permission },
	{ "redundant-global-traffic", fault_one_result,
	  { fault_good }, fault_no_permission },
	{ "redundant-global-traffic", fault_sum_in_memory,
	  { fault_sums_stored, fault_sum_shown }, fault_no_permission },
	{ "redundant-global-traffic", fault_small_tile,
	  { fault_good }, fault_no_permission },
	{ "wide-values", fault_clamped, { fault_good }, fault_good },
	{ "wide-values", fault_lower_halves, { fault_good }, fault_good },
	{ "wide-values", fault_lower_bytes, { fault_good }, fault_good },
	{ "wide-values", fault_doubles_for_floats,
	  { fault_doubles_used }, fault_good },
	{ "tensor-operands-reloaded", fault_tile_of_rows,
	  { fault_good }, fault_good },
	{ "dynamic-parallelism-overhead", fault_launching_uncounted,
	  { fault_code_clean }, fault_good },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* The column of ${row} that contains ${build}. */
static const char *
column_of(const struct row *row, builder *build)
{
	static const char *const quiet[QUIET_MOST] = {
		"quiet[0]", "quiet[1]", "quiet[2]", "quiet[3]", "quiet[4]"
	};

	for (int q = 0; q < QUIET_MOST; q++)
		if (row->quiet[q] == build)
			return quiet[q];
	return row->fires == build ? "fires" : "nodata";
}

static void
check(const struct row *row, builder *build, enum rule_state want)
{
	struct made m;
	struct advice *a = advise(build, &m);
	const struct verdict *v = made_verdict(a, row->rule);

	if (v == NULL)
		fail_msg("%s: rules.def has no such rule", row->rule);
	if (v->state != want)
		fail_msg("%s is %s, not %s, on %s of its row%s%s", row->rule,
		    rule_state_name[v->state], rule_state_name[want],
		    column_of(row, build), v->reason ? ": " : "",
		    v->reason ? v->reason->text : "");
	if (want == RULE_NOT_MEASURED)
		assert_true(v->reason != NULL && strlen(v->reason->text) > 5);
	advice_free(a);
	code_release(&m);
}

TEST(test_other_counters)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		check(&others[i], others[i].fires, RULE_FOUND);
}

/* Close to the ones that fire in rows of ${others}. */
TEST(test_close)
{
	static const struct row close[] = {
		{ "global-atomic-contention", fault_own_words, { NULL }, NULL },
		{ "double-precision", fault_double_result, { NULL }, NULL },
		{ "loop-not-unrolled", fault_load_store_together, { NULL }, NULL },
		{ "loop-not-unrolled", fault_load_store_own, { NULL }, NULL },
		{ "wide-values", fault_both_halves, { NULL }, NULL },
		{ "wide-values", fault_upper_bytes, { NULL }, NULL },
	};

	for (size_t i = 0; i < sizeof(close) / sizeof(close[0]); i++)
		check(&close[i], close[i].fires, RULE_CLEAN);
}

/* Practices that advise how to write a kernel, although they are about the
 * whole run; one of them may instead name another call of the library. */
static bool
is_about_code(const struct finding *f)
{
	return f->kernel != NULL ? !rule_is_for_callers(f->rule) :
	    (strcmp(f->rule, "kernel-fusion-candidate") == 0 &&
	    strstr(f->advice, "in one call") == NULL) ||
	    strcmp(f->rule, "relaunch-for-grid-sync") == 0;
}

/* Whatever is wrong with a library's kernels: the user must not be told to edit
 * them. */
static void
check_library(const struct row *row, const char *name)
{
	struct advice *a;
	struct made m;

	made_init(&m);
	row->fires(&m);
	for (size_t k = 0; k < m.run.kernels; k++)
		m.run.kernel[k].name = m.run.kernel[k].short_name = name;
	a = made_advice(&m);
	for (size_t i = 0; i < a->findings; i++)
		if (is_about_code(&a->finding[i]))
			fail_msg("%s is said of %s (%s)", a->finding[i].rule,
			    name, row->rule);
	advice_free(a);
	code_release(&m);
}

TEST(test_libraries)
{
	static const char *const names[] = {
		"sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x16",
		"void at::native::vectorized_elementwise_kernel<4, "
		    "at::native::CUDAFunctor_add<float> >(int)",
		"cupy_multiply__float32_float32_float32",
	};

	for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
		for (size_t i = 0; i < ROWS; i++)
			check_library(&rows[i], names[n]);
		for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
			check_library(&others[i], names[n]);
	}
}

TEST(test_quiet)
{
	for (size_t i = 0; i < ROWS; i++)
		for (int q = 0; q < QUIET_MOST; q++)
			if (rows[i].quiet[q] != NULL)
				check(&rows[i], rows[i].quiet[q], RULE_CLEAN);
}

TEST(test_nodata)
{
	for (size_t i = 0; i < ROWS; i++)
		check(&rows[i], rows[i].nodata, RULE_NOT_MEASURED);
}

/* A rule must not work without the data that it declares as needed: the run
 * with the fault, without one kind of data at a time. */
MADE_TEST(test_withheld)
{
	static const unsigned needs[] = {
		NEED_COUNTERS, NEED_SOURCE, NEED_SAMPLES, NEED_CODE,
		NEED_CUBIN, NEED_KERNELS, NEED_COPIES, NEED_CALLS,
		NEED_MEMORY, NEED_CHECK
	};

	for (size_t i = 0; i < ROWS; i++) {
		const struct rule *rule = rule_table;
		size_t cases = 0;

		while (strcmp(rule->id, rows[i].rule) != 0)
			rule++;
		for (size_t n = 0; n < sizeof(needs) / sizeof(*needs); n++) {
			const struct verdict *v;
			struct advice *a;

			if (!(reads_of(rule) & needs[n]) &&
			    !(rule->scope == SCOPE_KERNEL &&
			    needs[n] == NEED_KERNELS))
				continue;
			cases++;
			made_again(m);
			rows[i].fires(m);
			made_withhold(m, needs[n]);
			a = made_advised(m);
			v = made_verdict(a, rule->id);
			/* Its code is used instead. */
			if (needs[n] == NEED_SOURCE && coded_speaks(rule) &&
			    v->state == RULE_FOUND) {
				assert_int_equal(made_finding(a, rule->id)->
				    confidence, CONF_LOW);
				continue;
			}
			if (v->state != RULE_NOT_MEASURED || v->reason == NULL)
				fail_msg("%s is %s without %u", rule->id,
				    rule_state_name[v->state], needs[n]);
			assert_true(strlen(v->reason->text) > 5);
		}
		assert_true(cases > 0);
	}
}

/* Without counters it is unknown whether the blocks of the last wave have DRAM,
 * or another limit, for themselves: no high severity. */
MADE_TEST(test_blind_tail)
{
	const struct finding *f;

	f = made_finding(advised(fault_partial_wave, m), "tail-effect");
	assert_true(f->severity > SEV_LOW && f->confidence > CONF_LOW);
	for (int v = 0; v < METRIC_COUNT; v++)
		m->kernel[0].metric[v] = NAN;
	f = made_found(m, "tail-effect");
	assert_int_equal(f->severity, SEV_LOW);
	assert_int_equal(f->confidence, CONF_LOW);
}

/* If many records were lost, a rule that finds nothing is not clean, and a
 * finding is not certain: one lost record may be the one error. */
MADE_TEST(test_lost)
{
	struct advice *a;

	fault_good(m);
	m->run.records = 100000;
	m->run.lost = 10;
	a = made_advised(m);
	assert_int_equal(made_verdict(a, "unchecked-errors")->state,
	    RULE_NOT_MEASURED);
	assert_int_equal(made_verdict(a, "gpu-idle-gaps")->state, RULE_CLEAN);
	assert_int_equal(made_verdict(a, "tail-effect")->not_measured, 0);
	m->run.lost = 10000;
	a = made_advised(m);
	assert_int_equal(made_verdict(a, "gpu-idle-gaps")->state,
	    RULE_NOT_MEASURED);
	/* The kernels that were seen are clean; there may be others. */
	assert_int_equal(made_verdict(a, "tail-effect")->state, RULE_CLEAN);
	assert_int_equal(made_verdict(a, "tail-effect")->not_measured, 1);
	made_again(m);
	fault_waiting(m);
	m->run.records = 100000;
	m->run.lost = 10000;
	assert_int_equal(made_found(m, "gpu-idle-gaps")->confidence, CONF_LOW);
}

static void
check_text(const struct finding *f)
{
	assert_true(strlen(f->id) == 16);
	assert_true(strlen(f->summary) > 20 && strlen(f->advice) > 20);
	assert_true(f->where != NULL && f->next != NULL);
	assert_true(strlen(f->bad_code) > 4 && strlen(f->good_code) > 4);
	assert_true(f->location != NULL || f->location_missing != NULL);
	assert_true(f->evidences > 0 && f->gain_note != NULL);
	assert_lacks(f->summary, "unknown");
	assert_lacks(f->advice, "unknown");
	for (size_t i = 0; i < f->evidences; i++) {
		assert_true(f->evidence[i].name && f->evidence[i].label);
		assert_true(f->evidence[i].source && f->evidence[i].from);
		assert_true(isfinite(f->evidence[i].value));
		assert_true(isnan(f->evidence[i].threshold) ==
		    (f->evidence[i].threshold_origin == NULL));
	}
}

/* A dozen blocks from the beginning are a pool: reported with low severity. */
MADE_TEST(test_pool_is_no_leak)
{
	const struct finding *f;

	fault_leaking(m);
	m->leak[0].count = 12;
	m->leak[0].late = 0;
	m->leak[0].equal = true;
	f = made_found(m, "device-memory-leak");
	assert_false(f->worth_it);
	assert_int_equal(f->severity, SEV_INFO);
	m->leak[0].count = 16;	/* of one size: allocated in a loop */
	f = made_found(m, "device-memory-leak");
	assert_true(f->worth_it);
	assert_has(f->advice, "cudaMalloc with a cudaFree:");
	m->leak[0].kind = MEMORY_ARRAY;
	f = made_found(m, "device-memory-leak");
	assert_string_equal(f->where, "array memory");
	assert_has(f->advice, "cudaMallocArray with a cudaFreeArray:");
}

static const struct finding *
finding_of(struct advice **a, struct made *m, builder *build, const char *rule)
{
	const struct finding *f;

	*a = advised(build, m);
	f = made_finding(*a, rule);
	assert_non_null(f);
	return f;
}

/* Possible faults without a predicted gain: reported, with low severity. */
MADE_TEST(test_mentioned)
{
	static const struct {
		builder *build;
		const char *rule, *says;
	} mention[] = {
		{ fault_one_of_two, "idle-gpus", "no prediction" },
		{ fault_staging_buffer, "redundant-transfers",
		    "nothing is promised" },
		{ fault_blocking_turns, "copy-engine-serialised",
		    "asynchronous and pinned" },
	};
	const struct finding *f;
	struct advice *a;

	for (size_t i = 0; i < sizeof(mention) / sizeof(mention[0]); i++) {
		f = finding_of(&a, m, mention[i].build, mention[i].rule);
		assert_false(f->worth_it);
		assert_int_equal(f->severity, SEV_INFO);
		assert_int_equal(f->confidence, CONF_LOW);
		assert_true(f->saves_s == 0);
		assert_has(f->gain_note, mention[i].says);
		check_text(f);
	}
}

/* Seconds from measurements; no other finding may claim the time of GPUs that
 * work in turn, or of kernels that wait for pages. */
MADE_TEST(test_transfer_gains)
{
	const struct finding *f;
	struct advice *a;

	/* 2 s of work in turn on two GPUs, one of which waits for 1 s. */
	f = finding_of(&a, m, fault_in_turn, "idle-gpus");
	assert_float_equal(f->saves_s, 0.8, 1e-6);
	assert_float_equal(f->saves_high_s, 1.0, 1e-6);
	assert_has(f->limiter, "after the other");
	f = finding_of(&a, m, fault_uneven_gpus, "idle-gpus");
	assert_has(f->limiter, "more to do");
	assert_float_equal(f->saves_high_s, 2.0 - 1.3, 1e-6);
	assert_float_equal(f->saves_s, 0.35, 1e-6);
	/* 0.5 s in each direction, of which 85 % fit beside the other. */
	f = finding_of(&a, m, fault_one_way, "copy-engine-serialised");
	assert_float_equal(f->saves_s, 0.425, 1e-6);
	/* A program that already does both: 0.3 s are still alone. */
	m->device[0].both_ns = 200000000;
	m->device[0].h2d_bare_ns = m->device[0].d2h_bare_ns = 300000000;
	a = made_advised(m);
	assert_float_equal(made_finding(a, "copy-engine-serialised")->saves_s,
	    0.255, 1e-6);
	/* 0.9 s of faults, minus the time of the 10 GB as pinned copies. */
	f = finding_of(&a, m, fault_migrating, "unified-memory-faults");
	assert_float_equal(f->saves_s, 0.9 * (0.9 - ceilings_copy_s(
	    &m->device[0].ceilings, 64 << 20, true, true) * 10e9 / (64 << 20)), 1e-6);
	assert_true(a->together_s <= 2);
	f = finding_of(&a, m, fault_migrating_untold, "unified-memory-faults");
	assert_has(f->summary, "9,000 groups");
	assert_float_equal(f->saves_s, 0.9 * (0.9 - ceilings_copy_s(
	    &m->device[0].ceilings, 64 << 20, true, true) * 10e9 / (64 << 20)), 1e-6);
	/* 0.2 s up again, and half of 0.2 s down. */
	f = finding_of(&a, m, fault_round_trips, "redundant-transfers");
	assert_float_equal(f->saves_s, 0.3, 1e-6);
	assert_float_equal(f->saves_high_s, 0.4, 1e-6);
	/* If the copies block: three quarters of the idle time after copies. */
	f = finding_of(&a, m, fault_round_trips_blocking,
	    "redundant-transfers");
	assert_float_equal(f->saves_s, 0.3 + 0.8 * 0.75 * 0.5, 1e-6);
	assert_ptr_equal(f, a->finding);
	/* The shorter of 0.3 s down and 0.25 s up is saved. */
	f = finding_of(&a, m, fault_staged, "peer-access-off");
	assert_float_equal(f->saves_s, 0.25, 1e-6);
	/* 12 GB in 8 ms is faster than any link: the copies took tenths of a second. */
	f = finding_of(&a, m, fault_staged_untold, "peer-access-off");
	assert_true(f->worth_it && f->saves_s > 0.05 && f->saves_s < 0.4);
	assert_has(f->summary, "through the host at about");
	f = finding_of(&a, m, fault_slow_peer, "peer-access-off");
	assert_true(f->worth_it && f->saves_s > 0.1 && f->saves_s < 0.5);
}

/* Found, complete, first in the list, with a gain in seconds. */
MADE_TEST(test_fires)
{
	for (size_t i = 0; i < ROWS; i++) {
		const struct row *row = &rows[i];
		bool correctness = strcmp(rule_find(row->rule)->category,
		    "correctness") == 0;
		struct advice *a = advised(row->fires, m);
		const struct finding *f = made_finding(a, row->rule);

		check(row, row->fires, RULE_FOUND);
		assert_non_null(f);
		check_text(f);
		if (!f->worth_it)
			fail_msg("%s saves only %g s", row->rule, f->saves_s);
		if (correctness) {
			assert_true(isnan(f->saves_s));
			assert_true(f->severity > SEV_INFO);
		} else {
			assert_true(f->severity > SEV_INFO);
			assert_true(f->saves_s > 0 && f->saves_s <= 10);
			assert_true(f->saves_low_s <= f->saves_s);
			assert_true(f->saves_high_s >= f->saves_s);
		}
		if (a->finding != f && a->finding[0].worth_it)
			print_message("note: %s comes after %s (%.3g, %.3g)\n",
			    row->rule, a->finding[0].rule, f->saves_s,
			    a->finding[0].saves_s);
	}
}

/* No rule may report more than low severity on runs without faults. */
MADE_TEST(test_no_alarm)
{
	static builder *const clean[] = {
		fault_good, fault_broadcast, fault_padded, fault_persistent,
		fault_tensor_kernel, fault_tensor_uncounted, fault_pinned,
		fault_overlapped, fault_allocating_once, fault_in_graph,
		fault_passes_apart, fault_sum_of_all, fault_two_inputs,
		fault_back_and_forth, fault_launched_again,
		fault_compiled_before, fault_turns_without_room,
		fault_syncing_once, fault_one_phase, fault_failing_checked,
		fault_wide_unknown, fault_no_permission,
		fault_code_clean, fault_wide, fault_floats, fault_added_once,
		fault_histogram, fault_shuffled, fault_tile, fault_fast_sines,
		fault_hidden_sines, fault_double_data, fault_unrolled,
		fault_stencil, fault_filter, fault_restricted, fault_library,
		fault_double_sum, fault_until_near, fault_gather,
		fault_few_barriers, fault_short_barriers, fault_busy_barriers,
		fault_turns, fault_small_code, fault_fetched,
		fault_multiplying, fault_wide_enough, fault_taps,
		fault_hidden_matrices,
		fault_equal_rows, fault_eight_warps, fault_streaming,
		fault_busy_blocks,
		fault_gathered_product, fault_many_results, fault_turned_tile,
		fault_tensor_tile, fault_from_l2_once,
		fault_both_ways, fault_there_then_back, fault_prefetched,
		fault_first_touch, fault_sent_once, fault_staging_buffer,
		fault_direct, fault_no_peers, fault_side_by_side,
		fault_hidden_gpu, fault_one_of_two, fault_blocking_turns,
		fault_tensor_tile, fault_from_l2_once, fault_zero_copy_once,
		fault_zero_copy_unseen, fault_streaming_once, fault_chase,
		fault_half_counted, fault_lookup_by_block, fault_lookup_hidden,
	};

	for (size_t i = 0; i < sizeof(clean) / sizeof(clean[0]); i++) {
		struct advice *a = advised(clean[i], m);

		for (size_t k = 0; k < a->findings; k++)
			if (a->finding[k].severity > SEV_LOW)
				fail_msg("run %zu: %s saves %g s", i,
				    a->finding[k].rule, a->finding[k].saves_s);
	}
}

TEST(test_cases_are_of_rules)
{
	assert_true(ROWS <= rule_count());
	for (size_t i = 0; i < ROWS; i++) {
		assert_non_null(rule_find(rows[i].rule));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(rows[k].rule, rows[i].rule);
	}
}

/* A rule explains only later ones, because earlier rules were already evaluated. */
TEST(test_explains_later_ones)
{
	for (size_t i = 0; i < rule_table_size; i++)
		for (const char *const *id = rule_table[i].explains;
		    *id != NULL; id++) {
			size_t k = i + 1;

			while (k < rule_table_size &&
			    strcmp(rule_table[k].id, *id) != 0)
				k++;
			if (k == rule_table_size)
				fail_msg("%s: no later rule is %s",
				    rule_table[i].id, *id);
		}
}

/* What one rule explains is not reported by another. */
MADE_TEST(test_said_once)
{
	static const struct {
		builder *build;
		const char *says, *silent;
	} once[] = {
		{ fault_narrow_block, "block-shape-breaks-rows",
		  "uncoalesced-global-access" },
		{ fault_narrow_rows, "block-shape-breaks-rows",
		  "uncoalesced-global-access" },
		{ fault_narrow_rows, "block-shape-breaks-rows",
		  "array-of-structures" },
		{ fault_columns, "uncoalesced-global-access",
		  "block-shape-breaks-rows" },
		{ fault_narrow_gather, "uncoalesced-global-access",
		  "block-shape-breaks-rows" },
		{ fault_dividing_long, "integer-division",
		  "slow-math-functions" },
		{ fault_one_thread, "serial-kernel", "idle-lanes" },
		{ fault_one_thread, "serial-kernel", "low-achieved-occupancy" },
		{ fault_one_lane, "idle-lanes", "serial-kernel" },
		{ fault_one_by_one, "warp-divergence", "serial-kernel" },
		{ fault_one_block, "grid-too-small", "sm-imbalance" },
		{ fault_partial_wave, "tail-effect", "sm-imbalance" },
		{ fault_short_blocks, "too-many-blocks-little-work",
		  "low-achieved-occupancy" },
	};

	for (size_t i = 0; i < sizeof(once) / sizeof(once[0]); i++) {
		struct advice *a = advised(once[i].build, m);

		if (made_finding(a, once[i].says) == NULL ||
		    made_finding(a, once[i].silent) != NULL)
			fail_msg("row %zu: %s, not %s", i, once[i].says,
			    once[i].silent);
	}
}

MADE_TEST(test_special_reasons)
{
	struct advice *a;

	a = advised(fault_one_block, m);
	assert_non_null(made_finding(a, "grid-too-small"));
	m->kernel[0].waits = true;
	a = made_advised(m);
	assert_null(made_finding(a, "grid-too-small"));
	assert_int_equal(made_verdict(a, "grid-too-small")->reason->code,
	    REASON_WAITING);
	a = advised(fault_wide_unknown, m);
	assert_int_equal(made_verdict(a,
	    "uncoalesced-global-access")->reason->code,
	    REASON_SECTORS_AMBIGUOUS);
	made_again(m);	/* 256 of 32 lanes each */
	fault_scattered(m);
	m->kernel[0].metric[METRIC_GLOBAL_LD_SECTORS] *= 8;
	m->kernel[0].metric[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = NAN;
	a = made_advised(m);
	assert_null(made_finding(a, "uncoalesced-global-access"));
	assert_int_equal(made_verdict(a,
	    "uncoalesced-global-access")->reason->code,
	    REASON_SECTORS_OTHERS);
	made_again(m);
	fault_no_permission(m);
	m->kernel[0].skip = SKIP_NCCL;
	assert_int_equal(made_verdict(made_advised(m),
	    "warp-divergence")->reason->code, REASON_NCCL);
	made_again(m);
	m->run.kernels = 0;
	assert_int_equal(made_verdict(made_advised(m),
	    "tail-effect")->reason->code, REASON_NO_KERNEL);
}
