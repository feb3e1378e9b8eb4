/*
 * report/checklist_fact.h: the measured facts of checklist.def. Each is a
 * check_fact_function: see report/checklist.h. Values of kernels are means
 * weighted by their time.
 */
#ifndef CADV_CHECKLIST_FACT_H
#define CADV_CHECKLIST_FACT_H

#include "report/checklist.h"

check_fact_function fact_coalescing;	/* bytes used of the bytes moved */
check_fact_function fact_bank_conflicts;/* shared wavefronts lost to conflicts */
check_fact_function fact_divergence;	/* idle lanes */
check_fact_function fact_occupancy;	/* achieved */
check_fact_function fact_dram;		/* DRAM throughput, of the ceiling */
check_fact_function fact_used;		/* bytes requested, of the ceiling */
check_fact_function fact_compute;	/* of the nearest pipe's FLOP/s */
check_fact_function fact_copies;	/* of what pinned memory reaches */
check_fact_function fact_hidden;	/* copies while kernels ran */
check_fact_function fact_busy;		/* GPU busy, of the run */
check_fact_function fact_measured;	/* kernel time with all counters */
check_fact_function fact_bound;		/* kernel time whose limit is known */
check_fact_function fact_record;	/* records that arrived */
check_fact_function fact_overhead;	/* our own cost, of the run */
check_fact_function fact_ceilings;	/* calibrated? */

#endif
