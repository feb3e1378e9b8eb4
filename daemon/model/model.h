/*
 * model/model.h: what a run did, in bounded memory.
 *
 * Records of the run's streams are fed in; a struct run comes out: kernels by
 * signature, copies, synchronisations, allocations, idle time with its causes,
 * repeating launch sequences, diagnostics. Single launches are not kept, only
 * aggregates and a timeline of bins. No I/O, no clock.
 *
 * All times are nanoseconds; in struct run they are relative to run->origin_ns
 * (CLOCK_REALTIME) unless a comment says otherwise. A double that was not
 * measured is NaN. Pointers inside a struct run belong to the model and live
 * until the next model_settle or model_free. One thread at a time.
 */
#ifndef CADV_MODEL_H
#define CADV_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/ceilings.h"
#include "model/lines/source.h"
#include "model/row.h"
#include "wire/record.h"

enum metric_id {
#define METRIC(name, cupti, unit, label) METRIC_##name,
#include "model/metric.def"
	METRIC_COUNT
};

/* The table row of a metric; metric_find returns METRIC_COUNT if unknown. */
struct metric_info {
	const char *name;	/* CUPTI's */
	const char *unit;
	const char *label;
};
extern const struct metric_info metric_table[METRIC_COUNT];
enum metric_id metric_find(const char *name, size_t len);
/* Is ${name} an alias of metric.def: a metric counted by patched instructions? */
bool metric_is_patched(const char *name, size_t len);

#define STAT_BUCKETS 128	/* quarter octaves: bucket = 4 log2(ns) */

/* A distribution: additive, so that runs and processes can be merged. */
struct distribution {
	uint64_t count;
	uint64_t sum, min, max;
	double sum_squares;
	uint32_t bucket[STAT_BUCKETS];
};

/* Why the GPU was idle. */
enum idle_cause {
	IDLE_HOST,		/* the host computed or did I/O */
	IDLE_AFTER_SYNC,	/* the host was waiting for the GPU when it began,
				 * and only then did its work */
	IDLE_LAUNCH,		/* launch latency: from the call to the GPU */
	IDLE_ALLOCATION,	/* inside cudaMalloc, cudaFree and kin */
	IDLE_API,		/* inside another recorded call */
	IDLE_ELSEWHERE,		/* launched long before it began, though the GPU had
				 * nothing else of this program: another process has it
				 * in turns, its stream waits for another GPU or the
				 * host, or kernels that a kernel launched run */
	IDLE_STARTUP,		/* before the first GPU work */
	IDLE_SHUTDOWN,		/* after the last */
	IDLE_CAUSES
};
extern const char *const idle_cause_name[IDLE_CAUSES];

/* Gaps by the time that the host took: in class i the causes HOST, AFTER_SYNC and API
 * of one gap add up to [2^i, 2^(i+1)) ns; the last class has no upper end. */
#define GAP_CLASSES 40
struct gap_class {
	uint64_t count;
	uint64_t idle_ns[IDLE_CAUSES];	/* of these three causes */
	uint64_t input_ns;		/* of that, before copies from the host */
	uint64_t moved_ns;		/* of that, before copies within the device */
	uint64_t fed_ns;		/* of that, after copies from the host */
	uint64_t output_ns;		/* of that, after copies to the host, */
	uint64_t outputs, output_bytes;	/* so many gaps, of so much data */
	uint64_t waited_ns, waits;	/* after other work that the host waited for
					 * in a synchronisation */
};

struct device {
	uint32_t id;		/* the CUDA ordinal in its process */
	struct record_DEVICE limits;	/* strings: use the ones below */
	const char *name, *chip, *uuid;
	const struct chip *sm;	/* what is known of its compute capability */
	struct ceilings ceilings;	/* what it can reach */
	/* From the sweep over this device's timeline; measured launches count with
	 * the length of undisturbed ones: */
	uint64_t busy_ns;	/* union of kernels, copies, memsets */
	uint64_t kernel_ns;	/* union of kernels */
	uint64_t copy_ns;	/* union of copies and memsets */
	uint64_t copy_hidden_ns;/* of that, while a kernel ran */
	uint64_t cycle_ns;	/* time that copies from and to the host could
				 * overlap with kernels, including what does
				 * overlap already (model/cycle.c) */
	uint64_t early_ns;	/* of that: more than chunks of one cycle have: copies to
				 * the device that were called before the kernels in
				 * front of them had ended */
	uint64_t h2d_ns, d2h_ns;	/* union of copies from and to the host */
	uint64_t both_ns;	/* of these, both at once */
	uint64_t h2d_bare_ns, d2h_bare_ns; /* one way alone, and no kernel ran */
	uint64_t turns;		/* changes of direction between copies over
				 * 64 KiB */
	bool hidden;		/* visible to no process of the run */
	uint64_t memory_bytes;	/* upper bound of what its kernels can reach: peaks
				 * of allocations of the run, and module globals;
				 * 0 unknown */
	uint64_t first_ns, last_ns;	/* first start, last end of GPU work */
	/* Operations that seem to have waited for the legacy default stream,
	 * or it for them (model/legacy.c): how often, how long, and how long they
	 * could have overlapped with what they waited for, where one of the two
	 * is a copy and where both are kernels. */
	uint64_t legacy_waits, legacy_wait_ns;
	double legacy_copies_ns, legacy_kernels_ns;
	/* Of kernels of several streams that took turns because memory was
	 * released in between (model/released.c): ns that could overlap. */
	double released_ns;
	uint32_t released_streams;
	/* Its idle time by cause; with idle_overhead_ns (our own measuring) and
	 * busy_ns it adds up to the run's wall time. */
	uint64_t idle_ns[IDLE_CAUSES], idle_overhead_ns;
	uint64_t idle_near_ns;	/* idle between two operations, each gap counted
				 * up to 100 us */
	uint64_t idle_fault_ns;	/* of idle HOST and AFTER_SYNC: the host waited
				 * for pages of managed memory */
};

/* What limits the number of resident blocks per SM. */
enum limiter {
	LIMITER_NONE, LIMITER_WARPS, LIMITER_BLOCKS, LIMITER_REGISTERS,
	LIMITER_SHARED, LIMITER_BARRIERS, LIMITER_CLUSTER, LIMITER_COUNT
};
extern const char *const limiter_name[LIMITER_COUNT];

/* Theoretical occupancy, see model/occupancy.h. */
struct occupancy {
	bool known;
	double ratio;		/* resident warps / max warps per SM, 0..1 */
	uint32_t blocks_per_sm;
	enum limiter limiter;	/* the tightest */
	uint32_t limit_blocks[LIMITER_COUNT];	/* blocks each would allow */
	double waves;		/* blocks / (SMs × blocks per SM) */
	uint32_t best_block;	/* threads: highest occupancy, see model/occupancy.h */
	double best_ratio;
	uint32_t best_min_grid;	/* blocks that fill the GPU at best_block */
};

/* How a stream stands to the legacy default stream; model/legacy.c. OTHER: neither
 * waits for the other, or nobody knows. */
enum queue_kind { QUEUE_OTHER, QUEUE_BLOCKING, QUEUE_LEGACY };

/* A kernel with one launch shape ("signature"), over all processes. */
struct kernel {
	uint32_t id;		/* 1.. in order of first appearance */
	uint32_t device;	/* index into run->device */
	const char *mangled, *name, *short_name;
	struct record_SIGNATURE shape;	/* id and name: of its first stream */
	struct occupancy occupancy;
	struct distribution time;	/* launches that ran undisturbed */
	uint64_t launches;	/* all, with the disturbed */
	uint64_t total_ns;	/* time of all launches; the disturbed and
				 * untimed are counted at the mean of time */
	double exposed_ns;	/* part of total_ns that lengthened the run: the
				 * host or later work waited for it; what ran at
				 * the same time shares that (model/burst.c) */
	double hidden_ns;	/* of exposed_ns: it did not lengthen this run, as
				 * the host prepared for results meanwhile, which
				 * is set apart */
	double alone_ns;	/* part of total_ns with no other kernel */
	double fault_part;	/* fraction of its time in which pages of managed
				 * memory were served: it waited for them */
	double noise_ns;	/* standard deviation of a launch, between launches
				 * that did the same work (model/repeat.c); NaN
				 * unknown */
	uint32_t stream;	/* of its first launch, CUDA's number */
	bool streams_vary;	/* others were in other streams */
	enum queue_kind queue;	/* of its latest launch's stream */
	bool unwaited;		/* its last launch ended after the last
				 * synchronisation and blocking copy of the run */
	uint64_t graph_launches;/* launches as nodes of a graph */
	uint64_t first_ns, last_ns;
	double metric[METRIC_COUNT];	/* per launch; NaN: not measured */
	enum wire_mode metric_mode;
	uint32_t metric_launches;	/* profiled launches behind them */
	bool metric_complete;
	bool accesses_vary;	/* two of its launches executed the same number of
				 * instructions, but moved different numbers of
				 * sectors */
	enum wire_skip skip;	/* why metrics are missing */
	uint64_t gap_before_ns;	/* GPU idle just before its launches, sum */
	uint64_t host_before_ns;/* of it, while the host computed, waited or was in
				 * other calls, in gaps that recur: without the
				 * first nine of a length, and gaps in which we
				 * measured or code was loaded */
	uint64_t gap_after_ns;	/* GPU idle just after them, only launch latency
				 * and the host's waits for the GPU */
	bool total_estimated;	/* no launch ran undisturbed: total_ns rests on
				 * counters or on the disturbed ones */
	bool total_least;	/* a lower bound: only measured launches ran, their
				 * records span the whole measuring window, and
				 * no counter gives a duration: total_ns is the
				 * least time to issue their instructions */
	bool waits;		/* it waits for something that the host or another
				 * kernel does after its launch: while we held
				 * the host a launch did not end; others took
				 * far less */
	const double *extra;	/* run->extras values of counters that no rule
				 * reads, NaN not measured; NULL: none */
	const struct code *code;	/* the source tier; NULL: nothing */
	/* The kernel that follows it in its queue, with no copy, memset or wait of
	 * the host in between (model/follow.c): */
	uint32_t next;		/* id of the most frequent one; 0 none */
	uint64_t next_count;	/* how often it followed, at least */
	bool next_null;		/* in the legacy default stream */
	uint64_t next_idle_ns;	/* GPU idle between the two, without gaps in which
				 * we measured and gaps over 100 us */
};

#define SMALL_BYTES (64u << 10)	/* of a small copy, at most */

/* Copies and memsets of one class. */
struct copy_class {
	enum wire_copy kind;	/* COPY_UNKNOWN: memset */
	bool memset;
	enum wire_memory src, dst;
	bool async;		/* the call said so */
	uint32_t size_class;	/* floor(log2(bytes)) */
	uint32_t device;
	uint64_t count, bytes, gpu_ns;
	double exposed_ns;	/* as of kernels (model/burst.c); a copy that runs
				 * wholly during one kernel has none */
	uint64_t host_ns;	/* in the blocking API call, if it was recorded */
	uint64_t idle_after_ns;	/* GPU idle right after, until the next work */
	uint64_t idle_waited_ns;/* of that, what the host's wait can explain: all but
				 * IDLE_HOST, IDLE_ALLOCATION and IDLE_ELSEWHERE */
	uint64_t idle_before_ns;/* GPU idle just before, in gaps of up to 100 us in
				 * which we did not measure */
	uint64_t waits;		/* asynchronous copies after which the host waited
				 * before any other GPU work */
	uint64_t waits_idle_ns;	/* of idle_waited_ns, after these */
	uint64_t checked;	/* of count: results that the host works through alone
				 * (struct results); no idle_waited_ns and
				 * idle_before_ns are theirs */
	uint64_t ranges;	/* different host ranges, among … */
	uint64_t located;	/* … so many copies whose range is known */
};

/* Runs of small copies in one direction: ≥ 16 in a row, ≤ 64 KiB each, no
 * more than 1 ms between. */
struct small_copies {
	enum wire_copy kind;
	enum wire_memory host;	/* the host side's memory */
	uint32_t device;
	uint64_t groups, copies, bytes;
	uint64_t gpu_ns;	/* sum of copy durations */
	uint64_t span_ns;	/* first start to last end, summed over groups */
};

/* Copies whose destination may have had the data already: the same whole host range in
 * one process. Whether its content changed in between is known of ranges that the library
 * compared (RESENT_SAME, RESENT_PART; ranges of which less stayed are left out). Of the
 * others only the time is: a copy is quick if it was called sooner than the host could
 * have written the range anew (one core 16 B/ns; many cores, 20 us after they start,
 * 400 B/ns). If that time is up to 1 ms, waits in CUDA calls are subtracted from it. */
enum resent_kind {
	RESENT_ROUND,		/* to the device: the range's last copy came from
				 * a device */
	RESENT_AGAIN,		/* to the device: as the range's last copy, to the
				 * same address */
	RESENT_SAME,		/* likewise, and in no comparison was a page different */
	RESENT_PART,		/* likewise, RESENT_PART_LEAST of the pages were not */
	RESENT_SLID,		/* to the device: to the address of the copy before, of a
				 * range of the same length that begins further on, with
				 * more than half of it in common; third in such a row */
	RESENT_ALIKE,		/* to the device: of a size of which the library found the
				 * content alike, whatever the addresses; each from a range
				 * and to an address of which such a copy had been made.
				 * Of such a size also what would be RESENT_SAME and
				 * RESENT_AGAIN, if there are such as were not compared */
	RESENT_KINDS
};
#define RESENT_PART_LEAST 0.9	/* of a range of which less stays, most is new data */
#define RESENT_ALIKE_LEAST 0.5	/* of the copies of a size of which fewer are alike, most are
				 * new data */

struct resent {
	enum resent_kind kind;
	uint32_t device;
	uint64_t ranges;	/* different host ranges */
	uint64_t count, bytes, gpu_ns;	/* copies to the device; of RESENT_SLID bytes and
				 * times are those of the part in common */
	uint64_t down_ns;	/* of RESENT_ROUND: the copies to the host before */
	uint64_t quick_count, quick_ns, quick_down_ns;
	/* The quick ones, and weighted those for which the host had up to four
	 * times as long as it needs: from 1 down to 0 the longer it had. */
	double likely_count, likely_ns, likely_down_ns, likely_bytes;
	/* Those to the same address that were called before the copy before was over. A
	 * program that sends a buffer again before it is read streams; in loops that
	 * measure, its bytes stand for other data. */
	uint64_t queued_count, queued_ns, queued_bytes;
	/* Of RESENT_SAME, RESENT_PART and RESENT_ALIKE: */
	uint64_t comparisons, pages, equal_pages;
	double equal_ns;	/* of gpu_ns less queued_ns: each range's times its equal
				 * part, each size's times the part that is alike */
	/* Of RESENT_ALIKE: */
	uint64_t zero_pages;	/* of pages */
	uint64_t size;		/* bytes of each copy, of those that take most of equal_ns … */
	double size_ns;		/* … and this much of it */
	uint32_t stream, number;	/* of the site that makes them; 0: unknown */
	const struct site *site;	/* that site; NULL: unknown, or no final settle */
};

/* One ordered pair of GPUs. */
struct peer {
	uint32_t from, to;	/* indices into run->device */
	bool known;		/* the driver was asked */
	bool can, enabled;	/* peer access is possible; was switched on */
	uint64_t copies, bytes, gpu_ns;	/* direct ones: one record each */
	uint64_t staged, staged_bytes;	/* through the host: two records or more */
	uint64_t down_ns, up_ns;	/* time of the staged ones' halves */
};

/* Results that the host copied back and worked through alone, once or a few times
 * (model/results.c). They are not worth shortening: no exposed_ns contains them. */
struct results {
	uint64_t phases;
	uint64_t copies, bytes, copy_ns;
	uint64_t host_ns;	/* the host's own, between and after these copies */
	uint64_t end_ns;	/* of that, after the GPU's last work */
};

/* Gaps in which the thread that launches next loaded code and worked for at least 5 ms
 * (COMPILING_LEAST of idle.c), after its process's warm-up (HOT_AFTER of host.h): code
 * was compiled. Gaps with less than COMPILING_APART launches between them are one,
 * unless the same kernel follows. The last element also has all after COMPILING_TIMES:
 * measured, 287 of a torch.compile with mode="max-autotune", 136 of Triton's autotuner with
 * 8 kernels; nobody can say whose the time of several in one element was. */
#define COMPILING_TIMES 512
struct compiling {
	size_t times;
	uint64_t span_ns;	/* from the first such gap to the end of the last */
	struct compiled {
		uint32_t kernel;	/* id of the one launched next; 0: none was */
		bool known;		/* a kernel of its name had run before, perhaps
					 * with another shape */
		uint64_t loads, idle_ns;
		uint64_t at;		/* launches of its process before it */
	} time[COMPILING_TIMES];
};

/* A function that XLA compiled, as its NVTX ranges name it: "jit_train_step". Others, once
 * there are XLA_MODULES, count as the last one. */
#define XLA_MODULES 128
struct xla_module {
	const char *name;
	uint64_t times;
	uint64_t host_ns, first_ns;	/* of all compilations; of the first one */
};

/* The function that XLA was compiling when the recording ended. */
struct xla_unfinished {
	const char *name;	/* NULL: none */
	bool cut;		/* its range was open; else a signal ended the program, and
				 * the passes over the module tell */
	uint64_t start_ns;	/* it had begun by then, since the run's begin, … */
	uint64_t seen_ns;	/* … and not ended then */
	uint64_t idle_ns;	/* of IDLE_SHUTDOWN: the GPU idle since then */
};

/* Managed memory. */
struct unified {
	bool used;		/* some was allocated */
	bool watched;		/* its events were recorded, or some arrived */
	uint32_t refused;	/* else the CUptiResult of trying; 0 not tried */
	uint64_t up_bytes, down_bytes;	/* moved to devices (between GPUs too) and to
					 * the host, for a fault or prefetched
					 * after one */
	uint64_t asked_bytes;	/* moved because the program asked */
	uint64_t evicted_bytes;	/* moved to make room */
	uint64_t cpu_faults, gpu_faults;	/* of GPUs: groups of faults */
	uint64_t up_batches;	/* of up_bytes: batches of copies with no gap
				 * between, each serving one group of faults */
	uint64_t fault_ns;	/* union: faults of GPUs were served, or pages
				 * moved to devices for them */
	uint64_t host_ns;	/* the busiest GPU was idle while the host waited
				 * for pages that it had touched */
	uint64_t thrashing, throttled_ns, remote_maps;
};

struct sync_class {
	enum wire_call call;	/* DEVICE_SYNC, STREAM_SYNC, EVENT_SYNC, MEMCPY… */
	uint64_t count;
	uint64_t wait_ns;	/* host blocked */
	uint64_t idle_after_ns;	/* GPU idle from the start of the sync, or the end of
				 * the work it waited for if that is later, to the
				 * next work; not if it waited for a copy */
	uint64_t followed;	/* syncs with such idle time after them */
};

struct call_class {		/* recorded API calls */
	enum wire_call call;
	uint64_t count, failed;
	uint64_t total_ns;
	uint64_t hot_count;	/* between the first and the last launch, after
				 * warm-up (see model/host.h) */
	uint64_t hot_ns;
	uint64_t hot_idle_ns;	/* GPU idle while inside */
};

#define SEQUENCE_MAX 1024	/* a training step has hundreds of launches */

/* A launch sequence that repeats: of the same kernels (run->sequence); or of the same
 * functions, launched in other shapes each time (run->alike). */
struct sequence {
	uint32_t device, stream;
	uint32_t length;	/* launches in one period */
	uint64_t repeats;
	uint32_t kernel[SEQUENCE_MAX];	/* ids, the first SEQUENCE_MAX */
	uint64_t kernel_ns;	/* over all repeats */
	uint64_t idle_ns;	/* GPU idle between its launches, all repeats;
				 * without gaps over 100 us, gaps with a sync, an
				 * allocation or our own measuring in them, and
				 * gaps before a launch that was in the queue
				 * already */
	uint64_t gaps;		/* the number of gaps in idle_ns */
	uint64_t syncs;		/* gaps with a host sync, all repeats */
	uint64_t allocations;	/* others in which the host allocates */
	uint64_t moved[SEQUENCE_MAX];	/* repeats in which the device copied or
				 * cleared memory in front of this launch */
	bool in_graph;		/* nearly all of its launches are nodes of a graph */
	uint64_t nodes;		/* those that are, all repeats */
	uint64_t first_ns, last_ns;	/* all repeats lie between */
	uint64_t span_launches;	/* of its queue meanwhile, repeats or not; and their … */
	uint64_t span_kernel_ns, span_idle_ns, span_gaps;	/* … as above */
	uint64_t grown, shrunk;	/* of run->alike: launches with a larger grid than
				 * a period before, and with a smaller one */
};

/* Allocations of device memory of one size, for the first few sizes. */
struct memory_size {
	uint64_t bytes;
	uint32_t device;
	uint64_t live, most;	/* allocations now; most at once */
};

struct leak {
	enum wire_memory kind;
	uint32_t device;
	uint64_t count, bytes, largest;
	const char *site;	/* where, if known; else NULL */
	uint64_t late;		/* of count: made when half of the launches
				 * were over */
	bool equal;		/* all of one size */
};

struct failure {
	const char *call, *error, *detail;
	uint32_t result;
	uint64_t count;
	uint64_t unread;	/* the program neither read it nor stopped */
	bool launch;
	uint64_t first_ns;
	/* Of a launch, where the capture has it: */
	uint32_t flags;		/* enum wire_failure_flag */
	uint32_t device;	/* index into run->device; UINT32_MAX unknown */
	const char *kernel;	/* mangled; NULL unknown */
	const char *name;	/* for people; NULL unknown */
	uint32_t grid[3], block[3], smem_dynamic;
	uint32_t regs, smem_static;	/* of its function, */
	uint32_t threads_max, smem_dynamic_max;	/* and its limits for a launch */
};

/* A correctness tool that ran over the program (cudadvise sanitize). */
struct tool_run {
	enum wire_tool tool;
	enum wire_ran state;
	uint64_t start_ns, end_ns;
	uint32_t exit_code, signal;	/* the tool's: mostly the program's */
	uint64_t errors, warnings;	/* as the tool's summary counts them */
	uint64_t unreported;		/* of those, without a report of their own */
	const char *version, *text;	/* text: the tool's message if it failed */
};

/* One of the reports behind a defect. */
struct defect_example {
	unsigned flags;			/* enum wire_defect_flag */
	uint32_t thread[3], block[3];
	uint64_t address, bytes;
	const char *detail;
};

#define DEFECT_EXAMPLES 3

/* The reports of such a tool about one place: the same tool, kind, kernel and line; for
 * host calls the same text and call site. Texts are never NULL. */
struct defect {
	enum wire_tool tool;
	enum wire_defect kind;
	enum wire_severity severity;	/* the highest */
	uint64_t reports, count;	/* count: hazards; else reports */
	uint64_t bytes;			/* of an access; of leaks their sum */
	const char *text;		/* the tool's first line */
	const char *function, *file;	/* that contain the access */
	const char *kernel, *kernel_file;	/* from which it was called */
	const char *partner_file;	/* the other access of a race */
	const char *site, *site_file, *site_object;	/* launch or call */
	uint32_t line, kernel_line, partner_line, site_line;
	struct defect_example example[DEFECT_EXAMPLES];	/* the first ones */
	size_t examples;
};

struct diagnostic {
	enum wire_diag code;
	enum wire_severity severity;
	uint32_t error;
	uint64_t count;
	const char *where, *text;
};

/* How long measuring held the program. count, total_ns and longest_ns are of the holds
 * that limit_ns bounds; the set-up before the first kernel and replays are separate. Of
 * a run: sums, and the longest of any process. */
struct held {
	bool known;		/* a process reported it */
	uint64_t count, total_ns, longest_ns;
	uint64_t setup_ns, setup_longest_ns;
	uint64_t replay_ns, replay_longest_ns;
	uint64_t limit_ns;	/* of the process with the longest; 0 unknown */
};

struct process {
	uint64_t stream;	/* of the wire */
	uint32_t pid, ppid;
	const char *exe, *command, *host, *library;
	bool python;		/* exe is a Python interpreter */
	uint64_t start_ns, end_ns;
	uint32_t cupti_version, driver_version;
	enum wire_level level;
	bool ended;		/* BYE seen */
	enum wire_bye bye;
	uint64_t records;
	uint64_t missing;	/* gaps in the sequence numbers */
	uint64_t lost[LOSS_CLASSES];
	struct held held;
};

#ifndef TIMELINE_BINS			/* fuzzers have fewer, to be fast */
#define TIMELINE_BINS 4096
#endif

/* Busy time per bin; when the run outgrows the bins their width doubles. */
struct timeline {
	uint32_t device;
	uint64_t bin_ns;
	uint32_t bins;		/* in use */
	float busy_ns[ROW_COUNT][TIMELINE_BINS];
	uint32_t count[ROW_COUNT][TIMELINE_BINS];
};

/* Ceilings that `cudadvise calibrate` measured on a device before the run: JSON. */
struct calibration {
	const char *gpu;	/* device uuid */
	const char *json;
	size_t length;
};

/* What CUPTI refused to a process of the run, according to diagnostics; a set of
 * 1 << these. */
enum refused {
	REFUSED_CUPTI,		/* CUPTI could not be used at all */
	REFUSED_FREE,		/* another tool was using CUPTI */
	REFUSED_TRACE, REFUSED_KERNELS, REFUSED_COPIES, REFUSED_MEMSETS,
	REFUSED_AGAIN,		/* kernel tracing, after a measured launch */
	REFUSED_MEMORY,		/* allocations */
	REFUSED_CALLS,		/* callbacks on API calls */
	REFUSED_JIT,		/* compilations */
	REFUSED_XLA,		/* copies, beside XLA's graphs */
	REFUSED_KINDS
};

/* Of the longest gaps so many are kept one by one: rounds of a loop, and what else a run has
 * that is as long. */
#define PAUSES_MOST 64

/* One of the longest gaps of a GPU, in which no code was loaded and next to nothing measured. */
struct pause {
	uint64_t start_ns, end_ns;
	uint64_t idle_ns;	/* without what we measured in it, */
	uint64_t host_ns;	/* the host's part of that: causes as in gap_class */
	uint64_t busy_ns;	/* in which the GPU had worked before it */
	uint64_t launches;	/* that the process which ended it had made before */
	uint32_t stream, number;	/* of the site in front of which the host made no
					 * call for more than half of host_ns; 0: none */
	const struct site *site;	/* that site; NULL: none, or no final settle */
};

/* From ${from_ns} to ${to_ns} (times of the clock, as those of a sequence; in order, and apart)
 * it was counted for ${ns} how much each process that prepares data for the program used a
 * processor: for ${used_ns}, in the mean; ${there_ns}, all of them together. */
struct working_time {
	uint64_t from_ns, to_ns;
	double ns, used_ns, there_ns;
};

/* A gap's class as a look has it: of those that the host caused, index of run->gap plus
 * this; LOOK_LAUNCH: the next launch was on its way; 0: the GPU had work, or code was loaded. */
#define LOOK_LAUNCH 1
#define LOOK_GAP 2

/* A look from outside at what a thread's Python was in. */
struct look {
	uint64_t at_ns;
	double s;		/* it stands for so long */
	uint8_t gap;		/* in which it fell, see LOOK_GAP */
	uint32_t stream, number;	/* of the site that shows its frames; 0: unknown */
	const struct site *site;	/* that site, of call CALL_NONE; NULL: unknown, or no
					 * final settle */
};

enum run_state { RUN_LIVE, RUN_FINISHED, RUN_KILLED, RUN_TRUNCATED };
extern const char *const run_state_name[];

struct run {
	char uuid[33];
	const char *command, *label, *host, *cwd, *version;
	enum run_state state;
	enum wire_level level;
	double budget;		/* overhead budget, ratio */
	int exit_code;		/* -1 unknown */
	const char *conditions;	/* of RUN_END: JSON, not checked; NULL: none */
	int signal;		/* 0 none */
	uint64_t origin_ns;	/* CLOCK_REALTIME */
	uint64_t wall_ns;
	uint64_t records, lost;	/* lost: all classes and gaps together */

#define OUTPUT(type, name, count, room) struct type *name; size_t count;
#define COPIED(type, name, count) struct type *name; size_t count;
#include "model/output.def"
	const struct ceilings *ceilings;	/* of the first device that is not
						 * calibrated, else the last */
	/* Copies between host and device with and without addresses, and those
	 * with addresses for which the table of ranges was full. */
	uint64_t copies_located, copies_unlocated, copies_untracked;

	unsigned refused;		/* 1 << enum refused */
	uint64_t launches;
	/* Of the busiest device; each device has its own in struct device. */
	uint64_t idle_ns[IDLE_CAUSES];
	uint64_t idle_total_ns;		/* wall − busy; includes our overhead */
	uint64_t idle_overhead_ns;	/* idle while we measured: no fault of
					 * the program, in no cause above */
	uint64_t idle_near_ns;		/* each gap counted up to 100 us */
	uint64_t idle_longest_ns;
	uint64_t idle_gaps;		/* gaps > 1 µs */
	struct gap_class gap[GAP_CLASSES];	/* without gaps in which we
						 * measured (idle.c) */
	uint64_t peak_memory_bytes;	/* live device allocations at their peak */
	uint64_t peak_host_bytes;	/* the same of pinned and managed memory */
	uint64_t static_bytes;		/* of module globals, all that were loaded */
	uint64_t allocations;		/* seen, of every kind */
	uint64_t peak_allocations;	/* most that lived at once */
	uint64_t objects;		/* texture and surface objects made */
	uint64_t peak_objects;		/* most that lived at once */
	double allocating_delayed;	/* of the time in hot calls that allocate or
					 * release, the share beyond what they take
					 * where nothing delays them, 0..1: beyond the
					 * lower quartile of blocks of eight; 0 if there
					 * are few */
	bool contexts_gone;		/* every context was destroyed or the
					 * process exited: leaks are leaks */
	uint64_t gpus_busy_ns;		/* some GPU ran a kernel */
	struct unified unified;
	struct results results;
	/* Code that the driver compiled from PTX while the program ran. */
	bool jit_traced;		/* every process would have reported it */
	uint64_t jit_compiles;
	uint64_t jit_ns;		/* the union of them */
	uint64_t jit_startup_ns;	/* of it, before the busiest device's
					 * first work */
	uint64_t jit_loads;		/* found in the driver's cache */
	struct compiling compiling;
	const struct xla_module *xla_module; size_t xla_modules;
	struct xla_unfinished xla_unfinished;

	/* Our own cost. */
	uint64_t overhead_ns[OVERHEAD_KINDS];
	uint64_t overhead_longer_ns;	/* by which launches that we measured, or that
					 * waited for the host while we held it,
					 * were longer than others of their
					 * kernel: not in busy_ns, but in the
					 * timeline; without what is above */
	uint64_t overhead_total_ns;	/* of all that */
	uint64_t profiled_launches;
	struct held held;

	uint64_t gpu_exposed_ns;	/* most that all kernels and copies together
					 * can save: their exposed_ns may add up
					 * to more, see model/burst.c */
	uint64_t late;			/* operations that came too late for the
					 * sweep; in counts and sums only */
	const char *const *extra_name;	/* counters that no rule reads */
	size_t extras;
	uint64_t idle_longest_by[IDLE_CAUSES];	/* idle_longest_ns by cause */
	uint32_t idle_longest_kernel;	/* id of the kernel that ended this gap; 0: a
					 * copy or memset did */
	double working;		/* of the time, what each process that prepares data for
				 * the program used a processor, in the mean, 0..1; 0: not
				 * known, or there are none */
	struct pause pause[PAUSES_MOST];	/* of the busiest device, in order */
	size_t pauses;

	/* The source tier; only after a final settle. */
	struct source_file *source_file; size_t source_files;
	struct site *site; size_t sites;
	uint64_t samples, samples_dropped;	/* PC samples of the run */
	uint64_t source_launches;	/* launches counted by instruction */
};

struct model;

/* model_new(void): an empty model, or NULL without memory. */
struct model *model_new(void);
void model_free(struct model *m);

/*
 * model_feed(m, stream, sequence, r): take in one record of ${stream} with its
 * sequence number. Records of one stream must come in order of sequence;
 * gaps are counted. Never fails on what a record says: nonsense is counted in
 * run->lost or ignored. Returns -1 only without memory. ${r} is not kept.
 */
int model_feed(struct model *m, uint64_t stream, uint64_t sequence,
    const struct record *r);

/*
 * model_settle(m, final): bring the aggregates up to date and return them; NULL
 * without memory. With ${final} all pending work is swept and states are decided;
 * without, the last 5 s (SETTLE_DELAY) of the timeline are still pending. Feeding may
 * go on after a settle that was not final.
 */
const struct run *model_settle(struct model *m, bool final);

/* stat_add: count one value. stat_merge: add ${from} to ${into}. In ns, NaN without
 * values: stat_quantile: the p-quantile (0..1), right to about 9 %; stat_mean;
 * stat_deviation: the standard deviation. */
void stat_add(struct distribution *s, uint64_t ns);
void stat_merge(struct distribution *into, const struct distribution *from);
double stat_quantile(const struct distribution *s, double p);
double stat_mean(const struct distribution *s);
double stat_deviation(const struct distribution *s);

#endif
