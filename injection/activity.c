#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "activity.h"
#include "decode.h"
#include "device.h"
#include "diag.h"
#include "emit.h"
#include "gate.h"
#include "graphs.h"
#include "inject.h"
#include "nap.h"
#include "relax.h"
#include "silence.h"

#define BUFFER_SIZE (1u << 20)	/* bytes; ~6,000 kernel records. On an H200 a launch
				 * took 0.1 us more with 64 KiB, and no less with 8
				 * MiB */
#define BUFFER_SMALL (64u << 10)
#define BUFFER_MAX 64		/* full-size buffers in flight */
#define DONE_MAX (256u << 20)	/* bytes of returned buffers that are not decoded
				 * yet: the sender may hang in a flush */
#define DRAIN_MAX 16		/* buffers decoded at a time: 8 MiB of our records */
#define PAUSE_WAIT_NS 20000000ull	/* for a flush to end */
#define FORCE_WAIT_NS 1500000000ull	/* for a pause, before the last flush */
#define LISTS 256		/* size of the hash table of buffers that CUPTI has */
#define MANAGED_NS 1000000000ull	/* how long to expect more events of managed
					 * memory */

struct buffer {
	struct buffer *next;	/* in the list that contains it */
	size_t valid;		/* bytes that CUPTI wrote */
	size_t size;		/* of ${data} */
	CUcontext context;
	uint32_t stream;
	uint8_t *data;		/* an allocation of its own: if the program
				 * registered callbacks after ours, CUPTI passes this
				 * buffer to them, and they call free() */
};

static struct {
	pthread_mutex_t lock;
	struct buffer *free;
	struct buffer *given[LISTS];	/* to CUPTI, hashed by address */
	struct buffer *done, **done_tail;
	size_t waiting;		/* bytes of the buffers in ${done} */
	unsigned made;
	_Atomic bool want_managed;
	bool managed, peers;
	_Atomic bool apart;	/* copies are not recorded beside XLA */
	uint64_t managed_ns;	/* time of the latest events */
	void (*wake)(void);
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .done_tail = &pool.done };

static struct buffer *
buffer_new(size_t size)
{
	struct buffer *b;

	if ((b = calloc(1, sizeof(*b))) == NULL)
		return NULL;
	b->size = size;
	if ((b->data = aligned_alloc(64, size)) != NULL)
		return b;
	free(b);
	return NULL;
}

static void
buffer_free(struct buffer *b)
{

	free(b->data);
	free(b);
}

/* The list in pool.given for a buffer at ${data}. */
static struct buffer **
list_of(const uint8_t *data)
{

	return &pool.given[((uintptr_t)data >> 6) * 0x9e3779b97f4a7c15u >>
	    56];
}

static void
give(struct buffer *b)
{
	struct buffer **at = list_of(b->data);

	pthread_mutex_lock(&pool.lock);
	b->next = *at;
	*at = b;
	pthread_mutex_unlock(&pool.lock);
}

/* Our buffer with this ${data}, removed from its list. NULL: the buffer belongs to
 * another profiler, which registered its callbacks after ours; we leave it alone. */
static struct buffer *
take_back(const uint8_t *data)
{
	struct buffer **at = list_of(data), *b;

	pthread_mutex_lock(&pool.lock);
	while ((b = *at) != NULL && b->data != data)
		at = &b->next;
	if (b != NULL)
		*at = b->next;
	pthread_mutex_unlock(&pool.lock);
	return b;
}

/* Called in application threads: never waits. */
static void CUPTIAPI
buffer_requested(uint8_t **data, size_t *size, size_t *max_records)
{
	struct buffer *b;
	bool large = false;

	*max_records = 0;
	pthread_mutex_lock(&pool.lock);
	if ((b = pool.free) != NULL)
		pool.free = b->next;
	else if (pool.made < BUFFER_MAX) {
		pool.made++;
		large = true;
	}
	pthread_mutex_unlock(&pool.lock);
	/* Past the limit CUPTI gets small buffers: if it gets NULL, older versions
	 * crash, and all versions lose records. */
	if (b == NULL)
		b = buffer_new(large ? BUFFER_SIZE : BUFFER_SMALL);
	if (b == NULL) {
		*data = NULL;
		*size = 0;
		return;
	}
	give(b);
	*data = b->data;
	*size = b->size;
}

static void
buffer_return(struct buffer *b)
{

	if (b->size != BUFFER_SIZE) {
		buffer_free(b);
		return;
	}
	pthread_mutex_lock(&pool.lock);
	b->next = pool.free;
	pool.free = b;
	pthread_mutex_unlock(&pool.lock);
}

/* Too many buffers wait for the sender: count the records of this one as lost, since
 * the program needs its memory. */
static void
discard(struct buffer *b)
{
	CUpti_Activity *record = NULL;
	uint64_t n = 0;

	while (b->valid > 0 && inject.api.cuptiActivityGetNextRecord(b->data,
	    b->valid, &record) == CUPTI_SUCCESS)
		n++;
	emit_lost(LOSS_QUEUE, n);
	silence_excuse(n);
	buffer_return(b);
}

static void CUPTIAPI
buffer_completed(CUcontext context, uint32_t stream, uint8_t *data,
    size_t size, size_t valid)
{
	struct buffer *b;
	bool full_up;

	(void)size;
	if (data == NULL)
		return;
	if ((b = take_back(data)) == NULL) {
		diag_report(DIAG_SUBSCRIBER, SEVERITY_WARNING, 0, "buffers",
		    "CUPTI returned a buffer of another profiler in the "
		    "program: records are missing in one of the two. Run "
		    "without it (torch.profiler, for one)");
		return;
	}
	b->valid = valid;
	b->context = context;
	b->stream = stream;
	b->next = NULL;
	pthread_mutex_lock(&pool.lock);
	full_up = pool.waiting >= DONE_MAX;
	if (!full_up) {
		pool.waiting += b->size;
		*pool.done_tail = b;
		pool.done_tail = &b->next;
	}
	pthread_mutex_unlock(&pool.lock);
	if (full_up)
		discard(b);
	pool.wake();
}

/*
 * The activity kinds of the trace tier. SYNCHRONIZATION is not enabled: on an H200 this
 * kind alone slowed a PyTorch training loop by a fifth, and the API callbacks record
 * every wait of the host. MEMORY2 is not enabled either: see memory.h.
 *
 * Most of what tracing adds to a launch is the record of its kernel: on an H200 0.25 us
 * in a tight loop, 0.6 to 0.8 us in a PyTorch loop, 1.04 times the loop's time. The
 * other kinds added nothing measurable, and none of CUPTI's attributes made it cheaper:
 * timestamps in pinned memory, one buffer for all threads, larger device buffers.
 */
static const struct {
	CUpti_ActivityKind kind;
	const char *name;
	bool essential;
	bool moves;			/* copies: see graphs_by_xla */
} kinds[] = {
	{ CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "kernel tracing", true, false },
	{ CUPTI_ACTIVITY_KIND_MEMCPY, "copy tracing", false, true },
	{ CUPTI_ACTIVITY_KIND_MEMSET, "memset tracing", false, true },
	{ CUPTI_ACTIVITY_KIND_OVERHEAD, "overhead records", false, false },
	{ CUPTI_ACTIVITY_KIND_DEVICE, "device records", false, false },
	{ CUPTI_ACTIVITY_KIND_CONTEXT, "context records", false, false },
	{ CUPTI_ACTIVITY_KIND_STREAM, "stream records", false, false },
	{ CUPTI_ACTIVITY_KIND_MARKER, "NVTX ranges", false, false },
	{ CUPTI_ACTIVITY_KIND_JIT, "JIT tracing", false, false },
};

static atomic_bool started;	/* our buffer callbacks are registered, */
static atomic_bool enabled;	/* and the kinds of records enabled */

enum { PAUSED = 1, FLUSHING = 2 };
static unsigned full;		/* buffers that came back full; used by the sender
				 * thread only */
static _Atomic int holder;	/* which of the two is under way: 0 (none), PAUSED or
				 * FLUSHING */
static _Atomic uint64_t flush_ns;	/* begin of the latest flush */

void
activity_wakes(void (*wake)(void))
{

	pool.wake = wake;
}

/* XLA is there: no copies are recorded from now on. */
static void
leave_copies(void)
{

	atomic_store(&pool.apart, true);
	diag_report(DIAG_ACTIVITY_FAILED, SEVERITY_WARNING, 0,
	    "copy tracing, beside XLA", "XLA's command buffers end with errors, or "
	    "compute wrong results, where CUPTI traces copies: these are not traced. "
	    "Run it with XLA_FLAGS=--xla_gpu_enable_command_buffer= to see them");
}

/* XLA was loaded after the program's first work. */
static void
stop_copies(void)
{

	relax_begin();		/* this is the sender thread */
	leave_copies();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].moves)
			inject.api.cuptiActivityDisable(kinds[i].kind);
	if (pool.peers)
		inject.api.cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMCPY2);
}

int
activity_start(void)
{
	const struct cupti_api *api = &inject.api;
	CUptiResult r;
	size_t i;
	int status = 0;

	if (api->cuptiSetThreadIdType != NULL)
		api->cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
	r = api->cuptiActivityRegisterCallbacks(buffer_requested,
	    buffer_completed);
	if (r != CUPTI_SUCCESS) {
		diag_cupti("cuptiActivityRegisterCallbacks", r);
		return -1;
	}
	atomic_store(&started, true);
	if (graphs_by_xla())
		leave_copies();
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].moves && atomic_load(&pool.apart))
			continue;
		r = api->cuptiActivityEnable(kinds[i].kind);
		if (r == CUPTI_SUCCESS)
			continue;
		diag_cupti(kinds[i].name, r);
		if (kinds[i].essential)
			status = -1;
	}
	atomic_store(&enabled, true);
	if (status == 0)
		silence_watch();
	return status;
}

bool
activity_pause(void)
{
	int nobody = 0;

	/* Measured from the begin of the flush, so that not every launch waits for a
	 * long one. */
	while (!atomic_compare_exchange_strong(&holder, &nobody, PAUSED)) {
		if (!nap_within(atomic_load(&flush_ns), PAUSE_WAIT_NS, 100000))
			return false;
		nobody = 0;
	}
	return true;
}

void
activity_resume(void)
{
	int paused = PAUSED;

	atomic_compare_exchange_strong(&holder, &paused, 0);
}

void
activity_flush(int force)
{
	uint64_t begin = inject_now();
	int nobody = 0;

	/* CUPTI is missing, or another tool has subscribed. */
	if (!atomic_load(&started))
		return;
	atomic_store(&flush_ns, begin);
	if (force)
		decode_last(begin);
	while (!atomic_compare_exchange_strong(&holder, &nobody, FLUSHING)) {
		/* A periodic flush is skipped, the last one is not. */
		if (!force)
			return;
		if (!nap_within(begin, FORCE_WAIT_NS, 1000000))
			break;
		nobody = 0;
	}
	inject.api.cuptiActivityFlushAll(force ?
	    CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
	atomic_store(&holder, 0);
}

#define MANAGED(name)							\
	{ .scope =							\
	    CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_ALL_DEVICES, \
	    .kind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_##name,	\
	    .enable = 1 }

/* The kinds that every CUPTI of this major knows come first: if CUPTI refuses the whole
 * list (not every platform reports thrashing), only the first four are enabled. */
static CUpti_ActivityUnifiedMemoryCounterConfig managed[] = {
	MANAGED(BYTES_TRANSFER_HTOD), MANAGED(BYTES_TRANSFER_DTOH),
	MANAGED(GPU_PAGE_FAULT), MANAGED(CPU_PAGE_FAULT_COUNT),
	MANAGED(THRASHING), MANAGED(THROTTLING), MANAGED(REMOTE_MAP),
	MANAGED(BYTES_TRANSFER_DTOD),
};
#define MANAGED_ALL (sizeof(managed) / sizeof(managed[0]))
#define MANAGED_LEAST 4

/* CUPTI requires an initialised driver for this. It is initialised: memory was
 * allocated. */
static void
managed_start(void)
{
	const struct cupti_api *api = &inject.api;
	struct record_UVM told = { .kind = UVM_WATCHED };
	CUptiResult r = CUPTI_ERROR_NOT_SUPPORTED;

	relax_begin();		/* this is the sender thread */
	pool.managed = true;
	pool.managed_ns = inject_now();
	if (api->cuptiActivityConfigureUnifiedMemoryCounter != NULL) {
		r = api->cuptiActivityConfigureUnifiedMemoryCounter(managed,
		    MANAGED_ALL);
		if (r != CUPTI_SUCCESS)
			r = api->cuptiActivityConfigureUnifiedMemoryCounter(
			    managed, MANAGED_LEAST);
	}
	if (r == CUPTI_SUCCESS)
		r = api->cuptiActivityEnable(
		    CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
	if (r != CUPTI_SUCCESS)
		diag_cupti("unified-memory events", r);
	told.flags = (uint32_t)r;
	told.start_ns = told.end_ns = inject_now();
	EMIT(UVM, &told);
}

static void
peers_start(void)
{
	CUptiResult r;

	relax_begin();		/* this is the sender thread */
	pool.peers = true;
	if (atomic_load(&pool.apart))
		return;
	r = inject.api.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY2);
	if (r != CUPTI_SUCCESS)
		diag_cupti("peer copy tracing", r);
}

void
activity_want_managed(void)
{

	gate_shared();
	/* wake the sender: pages may migrate at once */
	if (!atomic_exchange(&pool.want_managed, true))
		pool.wake();
}

unsigned
activity_full(void)
{
	unsigned n = full;

	full = 0;
	return n;
}

unsigned
activity_drain(void)
{
	struct buffer *b, *next, **end;
	CUpti_Activity *record;
	unsigned n;
	size_t dropped;
	bool moved = false;

	if (!pool.managed && atomic_load(&pool.want_managed))
		managed_start();
	if (atomic_load(&enabled) && !atomic_load(&pool.apart) && graphs_by_xla())
		stop_copies();
	if (!pool.peers && device_several())
		peers_start();
	pthread_mutex_lock(&pool.lock);
	b = pool.done;
	for (end = &b, n = 0; *end != NULL && n < DRAIN_MAX; n++) {
		pool.waiting -= (*end)->size;
		end = &(*end)->next;
	}
	if ((pool.done = *end) == NULL)
		pool.done_tail = &pool.done;
	*end = NULL;
	pthread_mutex_unlock(&pool.lock);
	for (; b != NULL; b = next) {
		next = b->next;
		full += b->valid > b->size / 4 * 3;
		record = NULL;
		while (b->valid > 0 &&
		    inject.api.cuptiActivityGetNextRecord(b->data, b->valid,
		    &record) == CUPTI_SUCCESS) {
			moved = moved || record->kind ==
			    CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER;
			decode_record(record);
		}
		dropped = 0;
		if (inject.api.cuptiActivityGetNumDroppedRecords(b->context,
		    b->stream, &dropped) == CUPTI_SUCCESS && dropped > 0) {
			emit_lost(LOSS_CUPTI, dropped);
			silence_excuse(dropped);
		}
		buffer_return(b);
	}
	if (moved)
		pool.managed_ns = inject_now();
	return n;
}

bool
activity_waits(void)
{
	bool waits;

	pthread_mutex_lock(&pool.lock);
	waits = pool.done != NULL;
	pthread_mutex_unlock(&pool.lock);
	return waits;
}

bool
activity_managed(void)
{

	return pool.managed && inject_now() - pool.managed_ns < MANAGED_NS;
}
