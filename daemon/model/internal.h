/*
 * model/internal.h: the state behind struct model, shared by the files of this
 * folder and no others. Times in here are absolute (CLOCK_REALTIME), in ns.
 *
 * What happens to a record: model_feed (model.c) finds its stream, makes room, and
 * calls the handler of its type. Aggregates that need no order are updated at once.
 * GPU work goes into a bounded buffer of pending operations (struct op). When that is
 * full it is sorted by start and swept (sweep.c), because union times, concurrency,
 * idle gaps and their causes (idle.c), exposure (burst.c), sequences, runs of small
 * copies and the timeline need that order. model_settle (settle.c) copies the results
 * into struct run.
 */
#ifndef CADV_MODEL_INTERNAL_H
#define CADV_MODEL_INTERNAL_H

#include "model/idmap.h"
#include "model/model.h"
#include "model/pool.h"
#include "model/span.h"

/* Host and GPU clocks are converted into each other with an error of about 1 us: a
 * wait may seem to end before the work that it waited for. */
#define CLOCK_SLACK 2000u	/* ns */

/* Bounds of the memory that a hostile stream can make us take. */
#define MAX_STREAMS 1024u
#define MAX_DEVICES 64u
#define MAX_KERNELS 16384u
#define MAX_COPIES 4096u
#define MAX_SEQUENCES 256u
#define MAX_FAILURES 256u
#define MAX_DIAGNOSTICS 256u
#define MAX_CHECKS 32u		/* tools that ran */
#define MAX_DEFECTS 1024u
#define MAX_STRINGS 65536u	/* ids a stream */
#define MAX_IDS (1u << 20)	/* ids of all streams together */
#define MAX_QUEUES 4096u
#define MAX_THREADS 4096u
#ifndef FIRST_OPS
#define FIRST_OPS (1u << 12)	/* room for pending operations at first */
#endif
#define MAX_OPS (1u << 18)	/* and at most: 12 MiB */
#define MAX_WAITS (1u << 19)	/* host intervals kept; 12 MiB */
#define MAX_AWAYS (1u << 18)	/* times that a host was away, kept; 10 MiB */
#define MAX_AWAY_SITES 8192u
#define MAX_LOOKS (1u << 18)	/* looks at the host's Python, kept; 6 MiB */
#define MAX_LIVE (1u << 18)	/* live allocations */
#define MAX_SIZES 64		/* sizes of allocations told apart */
#define MAX_LEAKS 256u
#define MAX_ACTIVE 256u		/* operations at once on one device */
#define MAX_CALIBRATIONS 64u
#define MAX_CALIBRATION_BYTES (256u << 10)
#define MAX_CONDITIONS_BYTES (64u << 10)
#define MAX_OPEN_FAILURES 64u	/* per process */
#define MAX_EXTRA 64u		/* counters that no rule reads */
#define LAUNCH_MARKS 64u	/* times of launches kept per process */
#define MAX_RANGES 32768u	/* host ranges, and pairs of ranges, of copies */
#define MAX_PEERS 1024u

#define SECOND 1000000000ull

/* Sums of hostile numbers stop at the largest one instead of wrapping. */
static inline uint64_t
add_sat(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t
sub_sat(uint64_t a, uint64_t b)
{

	return a > b ? a - b : 0;
}

static inline uint64_t
min_u64(uint64_t a, uint64_t b)
{

	return a < b ? a : b;
}

static inline uint64_t
max_u64(uint64_t a, uint64_t b)
{

	return a > b ? a : b;
}

enum op_kind { OP_KERNEL, OP_COPY, OP_MEMSET, OP_GRAPH };

enum op_flag {
	OP_PROFILED = 1,	/* measuring made it longer */
	OP_IN_GRAPH = 2,
	OP_BLOCKING = 4,	/* a copy whose call blocked the host */
	OP_SMALL = 8,		/* a copy of at most 64 KiB */
};

/* One GPU operation that is still to be swept. */
struct op {
	uint64_t start, end, launch;	/* launch: host time, 0 unknown */
	uint32_t index;		/* of the kernel or copy class */
	uint32_t queue;		/* of model->queue */
	uint32_t thread;	/* of model->thread, IDMAP_NONE unknown */
	uint32_t bytes;		/* of a copy; UINT32_MAX: that or more */
	uint32_t range;		/* of a copy, of model->range; IDMAP_NONE */
	uint8_t device, kind, flags;
	uint8_t row;		/* enum timeline_row */
};

/* What the host did in an interval. */
enum wait_kind {
	WAIT_SYNC,		/* blocked for the GPU */
	WAIT_ALLOCATION, WAIT_API,
};

struct wait {
	uint64_t start, end;
	uint8_t kind, call;
	uint8_t counted;	/* an API record: part of call_class */
	uint8_t sync;		/* index of model->sync + 1, 0 none */
};

/* A host thread: the calls it was in, sorted by start unless dirty. */
struct thread {
	uint32_t process;
	struct wait *wait;
	uint32_t head, count, cap;	/* valid: [head, count) */
	bool dirty;
};

/* Recorded calls of a process (host.h): 1: after its first launch, 10: after its 10th.
 * Those in the tail count only if a launch comes after tail_end. */
struct call_tally {
	uint64_t count1, ns1, count10, ns10;
	uint64_t bare_count, bare_ns;	/* of a process that launches nothing */
	uint64_t tail_count1, tail_ns1, tail_count10, tail_ns10;
	uint64_t tail_end;
	uint64_t idle1, idle10;		/* ns the GPU was idle during them */
};

struct open_failure {
	uint32_t failure, tid, result;
	uint16_t call;
	bool launch;
	uint64_t at;
};

struct correlated {
	uint32_t correlation, index;	/* of the copy class */
	uint64_t ns;
	bool used;
};

#ifndef CORRELATED
#define CORRELATED 4096u	/* slots, direct mapped */
#endif

/* One stream of the wire: a process, or the launcher. */
struct stream {
	uint64_t id;
	struct away *away;	/* by their ends, unless away_dirty; away.c */
	uint32_t aways, aways_cap;
	bool away_dirty;
	struct idmap away_site;	/* by a site's number: index of away_sum */
	struct seen_look *look;	/* by time, unless look_dirty; look.c */
	uint32_t looks, looks_cap;
	bool look_dirty;
	uint64_t next;		/* expected sequence number */
	bool is_process;
	struct process process;
	struct idmap string, signature, context, metric, device, queue, thread;
	struct idmap kind;	/* of streams, by context and id; legacy.c */
	const char **text;	/* by index of string */
	uint32_t texts, texts_cap;
	uint64_t bye_lost;
	uint32_t contexts, contexts_gone;
	uint64_t launches;	/* swept */
	uint64_t launch_1, launch_10, launch_last;
	uint64_t launch_mark[LAUNCH_MARKS];	/* of each launch_step-th */
	uint64_t launch_step;
	uint32_t launch_marks;
	uint64_t allocations;	/* allocating calls before its first launch */
	uint64_t block_ns;	/* of the last block_calls hot ones; host.c */
	uint32_t block_calls;
	uint64_t work_last;	/* latest host time of work fed */
	struct call_tally call[CALL_COUNT];
	struct open_failure open[MAX_OPEN_FAILURES];
	uint32_t opens;
	struct correlated *copied, *called;
	struct halves *halves;	/* peer.c */
	int64_t clock_offset;
	bool clock_known;
	struct idmap source_metric, stall;	/* source_feed.c */
	uint32_t source_mask;	/* 1 << enum source_metric: announced */
};

/* A CUDA stream of a process on a device. */
struct queue {
	uint32_t stream, device, process;
	enum queue_kind kind;
	uint64_t end;		/* of its latest operation; legacy.c */
	struct tracker *tracker;	/* sequence.c */
	struct longer *longer;	/* longer.c */
	uint32_t last;		/* its last operation: kernel index + 1, 0 other */
	uint64_t last_end;
};

/* The item of the open burst that a kernel or copy class has. */
struct burst_place {
	uint64_t serial;	/* of the burst */
	uint32_t item;
};

struct kernel_key {
	const char *mangled;	/* interned */
	uint32_t device;
	uint32_t shape[17];
};

#define REPEAT_LAST 8u		/* launches that the next one is compared with */

/* Undisturbed launches of a kernel in order of time; see repeat.c. */
struct repeat {
	uint64_t last[REPEAT_LAST];	/* durations, ns */
	uint64_t seen;
	struct distribution apart;	/* an estimate of the standard deviation each */
};

struct kernel_state {
	struct kernel out;
	uint64_t name;		/* hash_text of out.mangled */
	struct repeat repeat;
	uint32_t queue;		/* of its latest launch, of model->queue; + 1 */
	uint64_t profiled, profiled_ns, untimed;
	struct distribution waited;		/* launches of HELD_NS (kernel.c) or longer:
					 * not in out.time */
	/* Of profiled_ns, as the sweep saw it: */
	uint64_t profiled_fault_ns;	/* while pages were served */
	uint64_t profiled_told_ns;	/* in model->overhead as well */
	uint64_t counted_inst;		/* warp instructions of the launch counted
					 * by instruction; 0 none */
	uint64_t swept_ns, alone_ns;	/* undisturbed ones swept so far */
	uint64_t fault_ns;	/* of swept_ns: pages were served */
	double exposed;
	double hidden;		/* ns more that would be exposed if the host had
				 * not prepared for results meanwhile: burst.c */
	uint64_t next_votes;		/* follow.c */
	struct burst_place place;
	uint64_t cycle;		/* serial of the last cycle that counts it */
	double *extra;		/* MAX_EXTRA values, or NULL */
	double *patched;	/* METRIC_COUNT values, or NULL: counters.c */
};

/* Totals of a queue up to and including a launch. A gap before a copy does not count in
 * idle_ns, since most of it is COPY_WAY; but before a small copy to the device, such as
 * the arguments of a launch, the part beyond COPY_WAY is launch latency and counts. */
struct total {
	uint64_t kernel_ns, idle_ns, gaps, syncs, allocations;
	uint64_t nodes;		/* launches that are nodes of a graph */
};

/* What is known beside a struct sequence. */
struct sequence_of {
	uint64_t hash;		/* of its kernels, whichever of them is first */
	uint32_t first;		/* where the smallest rotation begins; sequence.c */
	uint32_t queue;		/* that it began in, … */
	uint64_t launches;	/* … after so many launches, … */
	struct total begin;	/* … and so much time */
};

struct copy_state {
	struct copy_class out;
	uint64_t swept_ns;
	double exposed;
	struct burst_place place;
	uint64_t phase;		/* serial of the last with such a copy; results.c */
	double phase_ns;	/* copies of the class in that phase */
	double apart[GAP_CLASSES];	/* ns put apart, by the phase's length */
	uint64_t phase_copies;
	double phase_waited, phase_before;	/* of idle_waited_ns, idle_before_ns */
	double apart_copies[GAP_CLASSES];
	double apart_waited[GAP_CLASSES], apart_before[GAP_CLASSES];
};

/* Of small copies in a row, what lies in the phase ${phase}, and what is put apart, by
 * the phase's length; see results.c. */
struct small_sum {
	double groups, copies, bytes, gpu_ns, span_ns;
};

struct small_apart {
	uint64_t phase;
	struct small_sum now, apart[GAP_CLASSES];
};

struct small_run {
	uint64_t count, bytes, gpu_ns, first, last;
	uint32_t queue;
};

struct active {
	struct op op;
	double excl;		/* ns, shared with what ran at the same time */
	uint64_t alone;		/* ns with no other kernel */
	bool hidden;		/* a copy during one kernel, or vice versa */
};

struct burst_item {
	uint32_t index;
	uint32_t is_copy;
	double excl, exposed, hidden;
};

#define BURST_OPS 4096u		/* a longer burst is settled in pieces */
#define BURST_THREADS 8u
#define QUEUE_DEPTH 1000u	/* launches that fill a hardware queue: the next
				 * launch call blocks (1024, less some slack) */
#define QUEUE_LEAST 128u	/* the same if events take up most of it */

/* Work that runs back to back; see burst.c. */
struct burst {
	struct burst_item *item;
	uint32_t items, cap;
	uint32_t ops;		/* of this piece */
	uint64_t serial;
	double excl;		/* sum over the items, of this piece */
	double before;		/* the same of the pieces before it */
	double waited, exposed;	/* of all pieces that are settled */
	double prepared, hidden;	/* ns that the host prepared for results
					 * meanwhile, and what that hides */
	uint64_t start;
	uint64_t full_ns;	/* host blocked by a full queue */
	uint64_t late_ns;	/* it would have waited longer without us */
	uint32_t thread[BURST_THREADS];	/* that launched it */
	uint32_t threads;
	uint64_t *ring;		/* ends of the last QUEUE_DEPTH operations */
	uint64_t pushed;	/* operations that were put into the ring, */
	uint64_t ended;		/* that had ended before the last launch, */
	uint64_t queued;	/* and that were pending then */
	uint64_t last_launch;
	bool worked;		/* which was one of kernels */
	bool unknown;		/* an operation has no launch time */
	bool open;
};

struct legacy_side {
	struct op last;		/* the operation that ends last; end 0: none */
	uint64_t waited;	/* ns that it had waited for the other side */
	double best;		/* most ns that one of the operations that waited
				 * for it could have run beside it */
	double copies, kernels;	/* sums of best: where one of the two is a copy,
				 * and where both are kernels */
};

/* legacy.c: the legacy default stream and the streams that wait for it. */
struct legacy {
	struct legacy_side null, blocking;
	uint32_t process;
	uint64_t waits, wait_ns;
};

/* released.c: kernels that took turns because memory was released in between. */
struct released {
	bool waits;		/* the latest kernel does, or belongs to one */
	double ns, filled_ns;	/* of all; each weighted with what it fills */
	uint64_t streams;	/* bits, by number modulo 64 */
};

/* cycle.c: copies to the device, kernels, copies from it. */
enum cycle_stage { CYCLE_UP, CYCLE_WORK, CYCLE_DOWN };

struct cycle {
	uint64_t serial;	/* of the open one; 0 none */
	uint64_t copy_ns, kernel_ns;	/* of the open one */
	uint64_t sum_ns;	/* that the closed ones could hide */
	uint64_t early_ns;	/* of all copies: behind the kernels before */
	uint64_t work_ns;	/* of kernels since the last copy to the device, as far
				 * as no copy was counted behind them; which ran … */
	uint64_t work_first, work_last;	/* … in between */
	bool fed;		/* that copy came after the last kernel */
	bool begun;		/* there was such a copy */
	uint8_t stage;
	bool graph;		/* a graph counts in it */
};

/* How much further ahead of a device the host would be without us; see ahead.c. */
struct ahead {
	uint64_t held, traced;	/* ns that holding it and tracing took from it */
	uint64_t longer;	/* ns that the device worked longer because of us,
				 * not yet subtracted from held and traced */
	uint64_t launch;	/* host time of its latest launch; 0 unknown */
	uint64_t until;		/* holds before this time are in held */
	uint64_t gap;		/* ns by which the next gap would be shorter: the
				 * GPU had finished before the synchronisation */
	uint64_t each;		/* ns that tracing adds to a launch; 0 unknown */
	uint32_t thread;	/* of the latest launch */
	bool synced;		/* a synchronisation since the launch before */
	struct distribution apart;	/* between launches with nothing in between */
};

/* Copies to the host with no other GPU work between them; see results.c. */
struct phase {
	uint64_t serial;
	uint64_t copies, bytes, copy_ns;
	uint64_t host_ns;	/* the host's own work, between and after them */
	uint64_t end_ns;	/* of that, after the GPU's last work */
	bool open;
};

struct line;			/* timeline.c */

/* The last gaps, not counted yet: if code is loaded soon after them, the host spent
 * them on compiling or choosing it. */
struct gaps_near {
	uint64_t launches;	/* of the process, before the first of them */
	struct gap_class gap[GAP_CLASSES];
	struct {
		uint64_t followed, idle_ns;	/* as in struct sync_class */
	} sync[CALL_COUNT];
};

/* A time in which the host made no call, and the number of the site that ended it; it
 * stands for ${count} of them, ${stands} times as long together. */
struct away {
	uint64_t start, end;
	double stands, count;
	uint32_t site;
	uint16_t workers, processors;
};

/* How much processes that prepare data worked: of ${ns} each for ${used_ns}, in the mean,
 * until ${at}. */
struct working {
	uint64_t at;
	double ns, used_ns;
};

/* The GPU idle meanwhile, in gaps that come again; the longest of all; the most processes
 * that were there to prepare data, and the processors, in such gaps. */
struct away_sum {
	double idle_ns, gaps;
	uint64_t longest_ns;
	uint16_t workers, processors;
	double seen_ns, behind_ns;	/* of the gaps that it ended: struct site */
	uint32_t after;		/* index + 1 of the kernel in front of most of these, */
	double after_ns;	/* by so much more than of all others */
};

/* A look at the host's Python: where it was found (the number of a site), for how long that
 * stands, and in which gap it fell, as in struct look. */
struct seen_look {
	uint64_t at, period;
	uint32_t site;
	uint8_t gap;
};

struct device_state {
	struct device out;
	bool used, complete;	/* complete: a DEVICE record described it */
	bool worked;		/* it has run a kernel */
	struct active active[MAX_ACTIVE];
	uint32_t actives, kernels_active, row_active[ROW_COUNT];
	uint64_t now;		/* the sweep has reached this time */
	uint64_t frontier;	/* end of the latest operation so far */
	uint64_t swept;		/* start of the latest operation swept */
	struct op last;		/* the operation that ends at frontier */
	uint32_t kernel;	/* index + 1 of the last kernel that has ended */
	uint32_t inputs;	/* copies from the host since other work ended */
	uint64_t idle[IDLE_CAUSES], idle_overhead, idle_longest, idle_gaps;
	uint64_t idle_longest_by[IDLE_CAUSES];
	uint32_t idle_longest_kernel;	/* id; 0: no kernel */
	struct pause pause[PAUSES_MOST];	/* the longest, in no order */
	uint32_t pauses;
	struct gap_class gap[GAP_CLASSES];
	struct gaps_near near[2];
	unsigned nearer;		/* index of the newer of the two */
	struct compiling compiling;
	uint64_t compiling_ns;	/* when the first of them began */
	struct burst burst;
	struct ahead ahead;
	struct legacy legacy;
	struct released released;
	struct cycle cycle;
	struct phase phase;
	struct results results[GAP_CLASSES];	/* by length, as gaps are */
	struct small_run small[COPY_KINDS][MEMORY_KINDS];
	bool small_open;	/* one of these runs is open */
	uint64_t transfers;	/* copies and memsets that have started */
	uint8_t way;		/* COPY_ of the last copy over 64 KiB; 0 none */
	struct line *line;
};

struct sync_state {
	struct sync_class out;
	uint64_t sync_count, sync_ns;	/* from SYNC records */
	uint64_t api_count, api_ns;	/* from API records of the same waits */
};

struct failure_state {
	struct failure out;
	uint64_t unread;	/* known to be unread so far */
};

struct live;			/* memory.c */
struct range;			/* resent.c */
struct resent_pair;		/* resent.c */
struct resent_size;		/* resent.c */
struct slide;			/* resent.c */
struct source_state;		/* source_state.h */

struct model {
	struct run run;
	struct pool pool;
	uint64_t names_told;	/* of pool.names.raw: in a diagnostic already */
	struct idmap streams;
	struct stream **stream;
	uint32_t stream_count;
	struct stream *latest;	/* of the last record */
	struct device_state **device;
	uint32_t devices;
	struct kernel_state *kernel;
	uint32_t kernels, kernels_cap;
	struct kernel_entry *kernel_table;
	struct copy_state *copy;
	uint32_t copies, copies_cap;
	struct idmap copy_map;
	struct small_copies *small;
	struct small_apart *small_apart;	/* [smalls] */
	uint32_t smalls;
	struct sync_state sync[CALL_COUNT];
	struct call_class call[CALL_COUNT];
	struct distribution allocating;	/* blocks of hot allocating calls */
	struct queue *queue;
	uint32_t queues, queues_cap, trackers;
	struct thread *thread;
	uint32_t threads, threads_cap;
	uint64_t waits;		/* host intervals kept */
	struct away_sum *away_sum;
	uint32_t away_sums, away_sums_cap;
	uint32_t aways;		/* kept, of all streams */
	struct working working;
	struct working_time *worked;	/* the same, time by time, of worked_ns or more each */
	uint32_t workeds, workeds_cap;
	uint64_t worked_ns;
	uint32_t looks;		/* the same */
	uint64_t waited_ns;	/* end of the last synchronisation or blocking copy */
	uint64_t bursts, cycles, phases;
	double exposed;		/* ns, of all operations together */
	double hidden;		/* ns, the same of kernel_state.hidden */
	uint64_t preparations;	/* of the host for results */
	struct op *op, *op_spare;
	uint32_t ops, ops_cap, ops_sorted;
	struct sequence *sequence;
	struct sequence_of *sequence_of;	/* [sequences] */
	uint32_t sequences;
	struct sequence *alike;
	struct sequence_of *alike_of;	/* [alikes] */
	uint32_t alikes, longers;
	struct idmap range_map;
	struct range *range;
	uint32_t ranges, ranges_cap;
	struct resent_pair *pair;
	uint32_t pairs, pairs_cap;
	struct idmap size_map, place_map;
	struct resent_size *resize;
	uint32_t resizes, resizes_cap;
	struct resent *resent;
	uint32_t resents;
	struct slide *slide;	/* [SLIDES]; NULL: none yet */
	struct memory_size *size;	/* [MAX_SIZES] */
	uint32_t sizes;
	struct peer *peer;
	uint32_t peers, peers_cap;
	struct spans faults;	/* unified.c: GPUs' faults being served, by records */
	struct spans served;	/* of faults; the same by the copies of pages */
	struct spans host_faults;	/* the host waits for pages, by copies */
	uint64_t up_end_ns;	/* of the latest copy of pages to a device */
	uint64_t gpus_until;	/* end of the latest kernel of any GPU */
	uint64_t gpus_busy;	/* ns in which some GPU ran a kernel */
	struct live *live;
	uint32_t lives;
	uint64_t live_bytes, live_host_bytes;
	uint64_t live_objects;		/* texture and surface objects */
	struct failure_state *failure;
	uint32_t failures;
	struct diagnostic *diagnostic;
	uint32_t diagnostics;
	struct tool_run *check;
	uint32_t checks, checks_cap;
	struct defect *defect;
	uint32_t defects, defects_cap;
	struct calibration *calibration;
	uint32_t calibrations;
	struct spans overhead;
	struct spans held;	/* of overhead: the host was held */
	struct spans jit;
	struct xla_module xla[XLA_MODULES];
	uint32_t xlas;
	struct xla_unfinished xla_begun;	/* since xla_done, when the last ended */
	uint64_t xla_done;
	bool jit_unknown;	/* a process does not report JIT compilation */
	struct source_state *source;	/* NULL: no such records */
	const char *extra_name[MAX_EXTRA];
	uint32_t extras;
	uint32_t ids;		/* of all streams' tables */
	uint64_t lost;		/* losses that belong to no process */
	uint64_t seen_first, seen_last;	/* times in records */
	uint64_t reference;	/* a time that is believed, 0 none yet */
	bool launcher, run_begin, run_end;
	uint64_t begin_ns, end_ns;
};

/* away.c: away_sort(m): before a sweep. away_prune(m, before): forget what ended before
 * ${before}, which no later gap can reach.
 * away_gap(m, s, from, to, host, comes_again): the GPU waited from ${from} to ${to} for a
 * launch or copy of process ${s}, ${host} ns of it for what the host did; without
 * ${comes_again} only its length counts (code was loaded). Returns the number of the site
 * in front of which the host made no call for more than half of ${host}; 0: none.
 * away_of(m, stream, site): what was summed for a site by number, or NULL.
 * away_most(sum, workers, processors): raise what ${sum} has of them to that. */
void away_sort(struct model *m);
void away_prune(struct model *m, uint64_t before);
uint32_t away_gap(struct model *m, struct stream *s, uint64_t from, uint64_t to,
    uint64_t host, bool comes_again);
const struct away_sum *away_of(const struct model *m, uint32_t stream, uint32_t site);
void away_most(struct away_sum *sum, uint16_t workers, uint16_t processors);

/*
 * away_behind(m, s, site, ns, inputs, kernel): ${site} of ${s}, as away_gap returned it,
 * ended a gap of ${ns} that lies behind ${inputs} copies from the host in a row, and last
 * before these kernel ${kernel} ran (index + 1; 0: none). away_after(sum, kernel, ns):
 * ${ns} of it lie behind ${kernel}: the one that is kept has most, if any has half.
 */
void away_behind(struct model *m, struct stream *s, uint32_t site, uint64_t ns,
    uint32_t inputs, uint32_t kernel);
void away_after(struct away_sum *sum, uint32_t kernel, double ns);

/* look.c: look_sort(m): before a sweep.
 * look_gap(m, s, from, to, gap): the GPU waited from ${from} to ${to} for a launch or copy of
 * process ${s}; ${gap} is as in struct look.
 * look_settle(m, run): fill run->look, but for the sites (site_settle). */
void look_sort(struct model *m);
void look_gap(struct model *m, struct stream *s, uint64_t from, uint64_t to, uint8_t gap);
void look_settle(const struct model *m, struct run *run);

/* internal.c: shared helpers.
 * model_grow(array, cap, count, max, size): make room for one more in *${array}, new
 * elements zeroed; -1 without memory or at ${max}. */
int model_grow(void *array, uint32_t *cap, uint32_t count, uint32_t max,
    size_t size);

/* model_time(m, start, end): can a pair of times be believed? Notes the earliest and
 * latest of those that can. */
bool model_time(struct model *m, uint64_t start, uint64_t end);

/* model_put(m, map, id, value, most): set or replace what ${id} stands for; 1 if there
 * are too many ids (the caller counts the loss), -1 without memory. */
int model_put(struct model *m, struct idmap *map, uint64_t id, uint32_t value,
    uint32_t most);

/* model_push(m, op): add an operation to those that are still to be swept; -1 without
 * memory. */
int model_push(struct model *m, const struct op *op);

/* The functions that take in a record, see model/feed.def. */
#define FEED(name, function)						\
	int function(struct model *m, struct stream *s,			\
	    const struct record_##name *r);
#define MEASURED(name, function) FEED(name, function)
#include "model/feed.def"
#undef MEASURED

/* about.c: the run, its processes, and the measurement itself. */
/* about_names(m): report how many more names are shown mangled (pool.names). */
int about_names(struct model *m);
/* about_held_add(sum, of): add what one process reported to the sum of the run. */
void about_held_add(struct held *sum, const struct held *of);
/* The highest level of any process: the one at which most is measured. */
enum wire_level about_level(const struct model *m);

/* define.c: ids on the wire. Text of a string id, NULL unknown; index of a device (made
 * if new), of a context's device, of a queue (made if new); IDMAP_NONE. */
const char *stream_text(const struct stream *s, uint32_t id);
uint32_t define_device_of(struct model *m, struct stream *s, uint32_t id);
uint32_t define_context_device(const struct stream *s, uint32_t context);
uint32_t define_queue(struct model *m, struct stream *s, uint32_t device,
    uint32_t context, uint32_t stream);

/* kernel.c: signatures, launches. */
/* Why the metrics of ${k} are missing. */
enum wire_skip kernel_skip(const struct kernel_state *k);
void kernel_settle(struct model *m, struct kernel_state *k,
    enum wire_level level, struct kernel *out);
/* ns by which the launches on a device that our measuring disturbed were longer than
 * undisturbed ones, as far as other launches or counters show that; added to *${told}:
 * the part that is in model->overhead as well. */
uint64_t kernel_longer_on(const struct model *m, uint32_t device,
    uint64_t *told);
/* Did our measuring make this launch longer, as far as the records so far show that?
 * And its length in ns without us. */
bool kernel_disturbed(const struct model *m, const struct op *op);
uint64_t kernel_length(const struct model *m, const struct op *op);
void kernel_free(struct model *m);

/* counters.c: the counters of kernels. counters_number: the number under which the
 * values of a METRIC are kept, IDMAP_NONE if they cannot be. counters_settle: combine
 * the counters of several launches. */
uint32_t counters_number(struct model *m, struct wire_str name);
void counters_settle(const struct kernel_state *k, struct kernel *out);
/* counters_represent(k): forget the counters of ${k} if the launches they come from do
 * not represent the launches that take its time. */
void counters_represent(struct kernel *k);
void counters_free(struct kernel_state *k);

/* called.c: join a copy of class ${index} with its API call, which took ${ns}, by their
 * correlation id; whichever record comes first. -1 without memory. */
int copy_correlate(struct model *m, struct stream *s, uint32_t correlation,
    uint32_t index);
int copy_called(struct model *m, struct stream *s, uint32_t correlation,
    uint64_t ns);

/* copy.c: copies, memsets, runs of small ones; copy_sweep takes operations in order of
 * time. */
int copy_sweep(struct model *m, const struct op *op);

/* resent.c: host ranges that are copied again. resent_range gives the value for
 * op->range, resent_sweep takes copies in order of time, resent_settle makes m->resent.
 * -1 only without memory. */
int resent_range(struct model *m, const struct stream *s,
    const struct record_COPY *r, uint32_t *range);
int resent_sweep(struct model *m, const struct op *op);
int resent_settle(struct model *m);

/* peer.c: copies between GPUs. */
int peer_copy(struct model *m, struct stream *s, const struct record_COPY *r);

/* unified.c: managed memory: ns in which faults of GPUs were served, in all and within
 * [start, end). */
uint64_t unified_fault_ns(const struct model *m);
uint64_t unified_fault_in(const struct model *m, uint64_t start, uint64_t end);
/* ns within [start, end) that the host waited for pages. */
uint64_t unified_host_in(const struct model *m, uint64_t start, uint64_t end);

/* memory.c: allocations. */
uint32_t memory_leaks(const struct model *m, struct leak *out, bool final);
bool memory_contexts_gone(const struct model *m);
void memory_free(struct model *m);

/* failure.c: failures, diagnostics. */
void failure_settle(const struct model *m, struct failure *out);
int diagnostic_add(struct model *m, const struct diagnostic *d);

/* xla.c: what XLA was compiling at the end; the devices must be settled. */
void xla_settle(struct model *m);

/* sweep.c: pending operations. sweep_room: make room for one operation and one host
 * interval, the most that one record adds. sweep_until: sweep what starts before
 * ${until}. sweep_all: sweep everything and close what is open. -1 without memory. */
int sweep_room(struct model *m);
int sweep_until(struct model *m, uint64_t until);
int sweep_all(struct model *m);

/* What lies in a gap between two operations. */
struct gap_seen {
	bool synced;		/* a synchronisation */
	bool allocated;		/* the host allocated or released memory */
	bool ours;		/* our own measuring */
	bool queued;		/* the operation after it was launched long before
				 * it: the gap is not launch latency */
	uint64_t host_ns;	/* of it, the host's own work */
};

/* idle.c: account for the gap before ${next} by cause; *${seen}: what lay in it.
 * Returns true if the host had let the queue run dry, and would have without us. */
bool idle_gap(struct model *m, struct device_state *d, const struct op *next,
    struct gap_seen *seen);
/* idle_again: the gaps in which, and shortly after which, no code was loaded.
 * idle_waits: add those behind waits in ${call} that are not in model->sync yet. */
void idle_again(const struct device_state *d, struct gap_class out[GAP_CLASSES]);
void idle_waits(const struct device_state *d, uint32_t call,
    struct sync_class *out);

/* ahead.c: the time that our measuring took from the host. ahead_op: the host launched
 * ${op}; the device has been advanced to its start. ahead_gap: the device was idle
 * because ${next} came late: ns by which the gap would have been shorter, beyond the
 * time we held the host inside it; *${none}: there might have been no gap at all.
 * ahead_longer: the device worked ${ns} longer because of us. ahead_last: no operation
 * follows. */
void ahead_op(struct model *m, struct device_state *d, const struct op *op);
uint64_t ahead_gap(struct model *m, struct device_state *d,
    const struct op *next, bool *none);
void ahead_longer(struct device_state *d, uint64_t ns);
void ahead_last(struct model *m, struct device_state *d);

/* burst.c: exposed time. burst_start, burst_end: an operation starts, ends; -1 without
 * memory. burst_prepares: does the host prepare for results so seldom that kernels
 * hidden by it count as exposed? burst_go_on: a gap before ${next} that does not end
 * the burst. burst_finish: one that does, or ${next} NULL: no operation follows. */
int burst_start(const struct model *m, struct device_state *d,
    const struct op *op);
bool burst_prepares(const struct model *m);
int burst_end(struct model *m, struct device_state *d,
    const struct active *a);
void burst_go_on(const struct model *m, struct device_state *d,
    const struct op *next);
void burst_finish(struct model *m, struct device_state *d,
    const struct op *next);

/* In a longer gap the host did something else than launch. */
#define LAUNCH_APART 100000u	/* ns */

/* sequence.c: repeating launches. A kernel starts, after the GPU was idle for ${idle}
 * ns; -1 without memory. */
int sequence_launch(struct model *m, const struct op *op, uint64_t idle,
    struct gap_seen seen);
/* An operation that is no kernel starts; ${last}: the one that ended last before it. */
void sequence_idle(struct model *m, const struct op *op, uint64_t idle,
    struct gap_seen seen, const struct op *last);
/* ns that the launch took that had ${op}'s place one period earlier, after
 * sequence_launch of ${op}; 0: it is in no sequence. */
uint64_t sequence_before(const struct model *m, const struct op *op);
void sequence_free(struct tracker *t);

/* sequence_table.c: sequence_new: a sequence of ${length} launches, which ${begin} tells
 * apart, with ${op} the last of some repeats. NULL: the table is full, or *${failed}:
 * memory is short. */
struct sequence *sequence_new(struct model *m, bool alike, const struct op *op,
    uint32_t length, struct sequence_of begin, bool *failed);
/* sequence_total: ${repeats} more, that end with ${op}, the queue's launch number
 * ${launches}; totals were ${from} before them and are ${now}. */
void sequence_total(struct sequence *s, const struct sequence_of *of,
    const struct op *op, uint64_t repeats, uint64_t launches, struct total from,
    struct total now);

/* longer.c: the same for longer sequences, and for such of the same functions in other
 * shapes. longer_launch: as sequence_launch; ${now}: totals including ${op}; ${moved}:
 * the device copied before it. */
int longer_launch(struct model *m, const struct op *op, struct total now, bool moved);
void longer_free(struct longer *l);

/* repeat.c: noise between launches of one kernel that did the same work.
 * repeat_add: the next launch took ${ns}; ${before}: the one with the same place in a
 * sequence took so long, 0 none. repeat_noise: their standard deviation in ns, NaN if
 * there were too few. */
void repeat_add(struct repeat *r, uint64_t ns, uint64_t before);
double repeat_noise(const struct repeat *r);

/* legacy.c: work that the legacy default stream serialises. */
int legacy_context(struct model *m, struct stream *s,
    const struct record_CONTEXT *r);
enum queue_kind legacy_kind(const struct stream *s, uint32_t context,
    uint32_t stream);
void legacy_op(struct model *m, struct device_state *d, const struct op *op);
/* The share of the SMs that an operation takes, 0..1; a copy takes its engine only. */
double legacy_fills(struct model *m, const struct op *op);

/* released.c: ${op} starts. released_saved: ns of kernels that could overlap. */
void released_op(struct model *m, struct device_state *d, const struct op *op);
double released_saved(const struct released *r);

/* cycle.c: an operation begins; ns that copies and kernels of all cycles so far could
 * overlap. */
void cycle_op(struct model *m, struct device_state *d, const struct op *op);
uint64_t cycle_total(const struct cycle *c);
uint64_t cycle_early(const struct cycle *c);

/* follow.c: which kernel comes after which. */
void follow_op(struct model *m, const struct op *op, uint64_t idle,
    struct gap_seen seen);

#define PHASE_LEAST 1000000u	/* ns: too short to work through results */
/* So many of a kind are a pattern: as many as gpu-idle-gaps asks for (min_gaps). */
#define RECURRING 10u
#define PHASES_MOST (RECURRING - 1)

/* results.c: copies to the host whose data it works through, once or a few times.
 * results_op: ${op} starts. results_end: no operation follows; the run ended at
 * ${end}. results_settle: the sum of them, returning the ns of copies' exposed time
 * that they are; results_apart: the same of one copy class. */
void results_op(struct model *m, struct device_state *d, const struct op *op,
    struct gap_seen seen);
void results_end(struct model *m, uint64_t end);
double results_settle(const struct model *m, struct results *out);
double results_apart(const struct model *m, const struct copy_state *c);

/* results_small(m, i, d, groups, s): ${s} more of the small copies of m->small[i] are in
 * device ${d}'s phase, if one is open. results_leave: take what is put apart from
 * ${out}, a copy of m->small[i]; results_leave_copy: likewise from a class's count of
 * copies and idle times. */
void results_small(struct model *m, uint32_t i, const struct device_state *d,
    struct small_sum s);
void results_leave(const struct model *m, uint32_t i, struct small_copies *out);
void results_leave_copy(const struct model *m, const struct copy_state *c,
    struct copy_class *out);

/* timeline.c: bins of busy time and counts; -1 without memory. */
int timeline_add(struct device_state *d, enum timeline_row row,
    uint64_t start, uint64_t end);
int timeline_count(struct device_state *d, enum timeline_row row,
    uint64_t at);
void timeline_out(const struct line *l, uint64_t origin, struct timeline *t);

/* lines/: the source tier, see source_state.h. source_metric returns 1 if the metric
 * is one of source.def. source_settle: at a final settle, after the kernels. -1 without
 * memory. */
int source_metric(struct model *m, struct stream *s,
    const struct record_METRIC *r);
int source_feed(struct model *m, struct stream *s, const struct record *r);
int source_settle(struct model *m);
void source_free(struct model *m);

#endif
