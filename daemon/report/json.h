/*
 * report/json.h: one serializer a noun. What they make is the HTTP API's body,
 * the input of the terminal report and of --format json: the same fields
 * everywhere. Units stand in names (_ns relative to the run's start, _bytes,
 * _ratio 0..1, _s seconds); 64-bit ids are strings; what was not measured is
 * null and has a reason beside it. Every object a command prints carries
 * "schema_version": 1 at its top.
 *
 * All return a new reference, or NULL without memory.
 *
 * run        { id (uuid), label, command, cwd, host, version, state
 *              ("live","finished","killed","truncated"), level, started_at
 *              (RFC 3339), wall_ns, exit_code|null, signal|null,
 *              devices: [name], kernels, launches, processes, findings,
 *              worth_it, together_s,
 *              summary: { gpu_busy_ratio, kernel_ratio, copy_ratio,
 *                copy_hidden_ratio, idle_ratio, idle: { host_ratio, after_sync_ratio,
 *                launch_ratio, allocation_ratio, api_ratio, startup_ratio,
 *                shutdown_ratio, measuring_ratio: while we measured, and
 *                what measured launches took longer than others },
 *                longest_idle|null: { s, cause: text }, the longest gap;
 *                results: { phases, copies, bytes, copy_s, host_s }, copied
 *                back and worked through by the host: in no finding },
 *              kernels_measured: { full, part, none },
 *              overhead: { total_s, ratio, by: { setup_s, counters_s, cupti_s,
 *                callback_s, source_s, sampling_s, kernels_s: by what measured
 *                launches took longer than others, wait_s: by launches of
 *                threads beside the measured one }, fixed_s: set-up, counters,
 *                sampling, source and waits, which a longer run has no more of;
 *                per_launch_ns|null: callbacks and CUPTI's buffers, by launch;
 *                held: null if the process did not say (older versions), else
 *                { count, total_s, longest_s: at one place; setup_s,
 *                setup_longest_s, replay_s, replay_longest_s: not in those;
 *                limit_s|null: of longest_s }; profiled_launches,
 *                budget_ratio },
 *              data: { records, lost, lost_by: {cupti, queue, spool, timestamp,
 *                table, sequence}, complete (bool), unended: processes
 *                whose record ends early, late: operations that came too late
 *                for the timeline },
 *              source: { launches: counted by instruction, kernels_counted,
 *                kernels_sampled, samples, samples_dropped },
 *              checks: [ { tool, state ("done", "partial", "timeout", "no_gpu",
 *                "failed"), start_ns, end_ns, exit_code, signal|null, errors,
 *                warnings, unreported, version, text } ]: correctness tools,
 *              rules: { found, clean, not_measured },
 *              calibrated (bool), ceilings_from, active_s, noise_s, analysis
 *              (integer: revision, grows with each reanalysis) }
 * kernel     { id, name (demangled), short_name, mangled, device, launches,
 *              time: { total_ns, at_least (bool: its launches were longer for us),
 *                mean_ns, sd_ns, min_ns, p50_ns, p95_ns, max_ns },
 *              exposed_ns, share_ratio (of wall), grid: [3], block: [3],
 *              cluster: [3], registers, shared_static_bytes,
 *              shared_dynamic_bytes, local_bytes, graph_launches,
 *              occupancy: { theoretical_ratio|null, achieved_ratio|null,
 *                limiter, blocks_per_sm, limits: {warps, blocks, registers,
 *                shared, barriers}, waves, best_block, best_ratio },
 *              headline: { occupancy, coalescing, bank_conflicts, divergence },
 *                each { value|null, unit "ratio", source, reason|null,
 *                meaning }: achieved occupancy; bytes used per byte moved;
 *                share of shared wavefronts that are conflicts; share of lanes
 *                idle in executed instructions
 *              bound (text: "DRAM", "L2", "latency", …|null),
 *              roofline, bandwidth: see report/json_roofline.h,
 *              metrics_complete, measured ("full", "part", "none"),
 *              measured_launches, not_measured (reason|null),
 *              findings: [finding id] }
 * metrics    of one kernel: [ { name, label, value|null, unit, source, reason } ]
 * copy       { kind, memset, src, dst, async, size_class_bytes, count, bytes,
 *              gpu_ns, exposed_ns, host_ns, idle_after_ns, bandwidth_bytes_per_s,
 *              ceiling_bytes_per_s|null (of large copies from pinned memory;
 *              inside the GPU its DRAM), ceiling_ratio|null (of it reached),
 *              ceiling_source ("measured", "model",
 *              "attribute")|null,
 *              ceiling_missing (reason)|null }
 * process, device, diagnostic: the fields of the structs, same names; device
 *              also has ceilings, see report/json_roofline.h
 * timeline   { from_ns, to_ns, bin_ns, devices: [ { device, rows: [ { row
 *              ("kernel","h2d",…), busy_ratio: [..], count: [..] } ] } ] }
 * finding    { id, rank (1..), rule, title, category, severity, confidence,
 *              worth_it, kernel_id|null, where, location|null,
 *              location_missing|null, saves: { s|null, low_s|null, high_s|null,
 *              share_ratio|null, kernel_speedup_ratio|null, note },
 *              summary, limiter|null, advice, example: { bad, good }, next,
 *              evidence: [ { name, label, value|null, unit, source, from,
 *              threshold|null, threshold_origin|null } ], hot_lines: [hot
 *              line], site|null: see report/json_source.h }
 * findings   { items: [finding], together_s, overlap, active_s (from first to
 *              last GPU work, without our measuring), noise_s (a saving
 *              below it is not worth it: 0.5 % of the GPU's work and
 *              the short gaps beside it at least),
 *              calibrated, ceilings_from, rules: [ { rule, state, found, clean,
 *              not_measured, reason|null } ] }
 * checklist  { passed, failed, not_measured, groups: [ { id, title, passed,
 *              failed, not_measured, lines: [ { id, title, state ("passed",
 *              "failed", "not_measured"), reason (of not measured)|null,
 *              practices_checked (of rules, how many were measured),
 *              findings_count (worth a change), findings: the first of them:
 *              [ { id, rule, title, where, kernel_id|null, saves_s|null } ],
 *              facts: [ { name, label (follows the value), value|null, unit,
 *              covered_ratio|null: the part of covered_of ("kernel time") that
 *              the value is of, reason|null } ],
 *              rules: [ { rule, state, reason|null } ] } ] } ] }
 * rule       { id, category, title, needs, severity, why, detects, advice,
 *              example: {bad, good}, sources, gain, next, pair,
 *              thresholds: [ { key, value, unit, origin } ] }
 */
#ifndef CADV_JSON_H
#define CADV_JSON_H

#include <jansson.h>
#include <stdint.h>

struct run;
struct ceilings;
struct kernel;
struct advice;
struct finding;
struct functions;
struct rule_info;

#define SCHEMA_VERSION 1

/* The documents of a run that need nothing but it and its advice. */
#define TAKES_RUN(id) json_t *json_##id(const struct run *r);
#define TAKES_ADVICE(id)						\
	json_t *json_##id(const struct run *r, const struct advice *a);
#define TAKES_SUBJECT(id)
#define TAKES_BOUNDED(id)
#define STORED(id, noun, of, shape, when, takes) TAKES_##takes(id)
#define DOCUMENT(id, noun, of, shape, when, takes, path, operation, summary) \
	TAKES_##takes(id)
#include "report/document.def"
#undef DOCUMENT
#undef STORED
#undef TAKES_RUN
#undef TAKES_ADVICE
#undef TAKES_SUBJECT
#undef TAKES_BOUNDED

json_t *json_run(const struct run *r, const struct advice *a, int analysis);
json_t *json_kernel(const struct run *r, const struct kernel *k,
    const struct advice *a);
/* The same with the ceilings of each of run->device and its functions at hand (for loops);
 * json_kernel works them out itself. */
json_t *json_kernel_with(const struct run *r, const struct kernel *k,
    const struct advice *a, const struct ceilings *c,
    const struct functions *f);
json_t *json_kernels(const struct run *r, const struct advice *a);	/* array */
json_t *json_metrics(const struct kernel *k);
/* The same with the counters that no rule reads, of a kernel of ${r}. */
json_t *json_metrics_of(const struct run *r, const struct kernel *k);
/* Bins of [from, to) merged so that at most ${px} remain; to 0 is the end. */
json_t *json_timeline(const struct run *r, uint64_t from_ns, uint64_t to_ns,
    unsigned px);
/* ${r} may be NULL: then saves.share_ratio is null. */
json_t *json_finding_of(const struct run *r, const struct finding *f,
    size_t rank);
json_t *json_finding(const struct finding *f, size_t rank);
json_t *json_rule(const struct rule_info *r);
json_t *json_rules(void);						/* array */

#endif
