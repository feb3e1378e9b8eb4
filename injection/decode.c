#include <string.h>

#include "callers.h"
#include "decode.h"
#include "device.h"
#include "emit.h"
#include "inject.h"
#include "launch.h"
#include "range.h"
#include "signature.h"
#include "silence.h"

static const uint8_t copy_kind[] = {
	[CUPTI_ACTIVITY_MEMCPY_KIND_HTOD] = COPY_H2D,
	[CUPTI_ACTIVITY_MEMCPY_KIND_DTOH] = COPY_D2H,
	[CUPTI_ACTIVITY_MEMCPY_KIND_HTOA] = COPY_H2D,
	[CUPTI_ACTIVITY_MEMCPY_KIND_ATOH] = COPY_D2H,
	[CUPTI_ACTIVITY_MEMCPY_KIND_ATOA] = COPY_D2D,
	[CUPTI_ACTIVITY_MEMCPY_KIND_ATOD] = COPY_D2D,
	[CUPTI_ACTIVITY_MEMCPY_KIND_DTOA] = COPY_D2D,
	[CUPTI_ACTIVITY_MEMCPY_KIND_DTOD] = COPY_D2D,
	[CUPTI_ACTIVITY_MEMCPY_KIND_HTOH] = COPY_H2H,
	[CUPTI_ACTIVITY_MEMCPY_KIND_PTOP] = COPY_P2P,
};

static uint8_t
copy_of(uint8_t kind)
{

	return kind < sizeof(copy_kind) ? copy_kind[kind] : COPY_UNKNOWN;
}

static uint8_t
memory_of(uint32_t kind)
{

	switch (kind) {
	case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
		return MEMORY_PAGEABLE;
	case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
		return MEMORY_PINNED;
	case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
		return MEMORY_DEVICE;
	case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
		return MEMORY_ARRAY;
	case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
	case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
		return MEMORY_MANAGED;
	case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
		return MEMORY_STATIC;
	}
	return MEMORY_UNKNOWN;
}

/* CUPTI launches a kernel of its own at the begin and the end of a range (seen with
 * 13.0), sometimes with the correlation id of the launch in the range. */
static bool
is_cupti_own(const cupti_kernel *k, const struct signature *s)
{

	return level_profiles(inject.level) && k->graphId == 0 &&
	    atomic_load(&s->launches) == 0 && strcmp(s->name, "WaitNs") == 0;
}

static void
decode_kernel(const cupti_kernel *k)
{
	struct signature_shape shape = {
		.grid = { (uint32_t)k->gridX, (uint32_t)k->gridY,
		    (uint32_t)k->gridZ },
		.block = { (uint32_t)k->blockX, (uint32_t)k->blockY,
		    (uint32_t)k->blockZ },
		.dynamic = (uint32_t)k->dynamicSharedMemory,
		.device = k->deviceId,
	};
	struct launch l = launch_get(k->correlationId);
	struct record_KERNEL r = {
		.context = k->contextId, .stream = k->streamId,
		.correlation = k->correlationId, .start_ns = k->start,
		.end_ns = k->end, .launch_ns = l.enter_ns, .tid = l.tid,
		.graph = k->graphId, .graph_node = k->graphNodeId,
	};
	struct signature *s;

	if ((s = signature_of(k->name, k->name, &shape)) == NULL) {
		launch_done(k->correlationId);
		return;
	}
	if (is_cupti_own(k, s)) {
		s->skip = SKIP_EXCLUDED;
		return;
	}
	/* A kernel of CUPTI's own has the correlation of a launch of the program's. */
	launch_done(k->correlationId);
	silence_seen(l.enter_ns);
	if (!s->announced)
		signature_announce(s, k);
	if (k->start == 0 || k->end == 0) {
		r.flags |= KERNEL_NO_TIME;
		emit_lost(LOSS_TIMESTAMP, 1);
	}
	if (k->end > k->start)
		signature_ran(s, k->end - k->start);
	r.signature = s->id;
	EMIT(KERNEL, &r);
}

static void
decode_copy(const cupti_copy *c)
{
	struct launch l = launch_get(c->correlationId);
	struct launch_copy a = launch_get_copy(c->correlationId);
	struct record_COPY r = {
		.device = c->deviceId, .context = c->contextId,
		.stream = c->streamId, .correlation = c->correlationId,
		.start_ns = c->start, .end_ns = c->end,
		.launch_ns = l.enter_ns, .bytes = c->bytes,
		.kind = copy_of(c->copyKind), .src = memory_of(c->srcKind),
		.dst = memory_of(c->dstKind),
		.flags = (uint8_t)((c->flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC ?
		    COPY_ASYNC : 0) | (c->graphId != 0 ? COPY_GRAPH : 0)),
		.tid = l.tid, .src_device = c->deviceId,
		.dst_device = c->deviceId, .graph = c->graphId,
		.graph_node = c->graphNodeId, .src_address = a.src,
		.dst_address = a.dst,
	};

	EMIT(COPY, &r);
}

static void
decode_peer_copy(const CUpti_ActivityMemcpyPtoP4 *c)
{
	struct launch l = launch_get(c->correlationId);
	struct record_COPY r = {
		.device = c->deviceId, .context = c->contextId,
		.stream = c->streamId, .correlation = c->correlationId,
		.start_ns = c->start, .end_ns = c->end,
		.launch_ns = l.enter_ns, .bytes = c->bytes, .kind = COPY_P2P,
		.src = memory_of(c->srcKind), .dst = memory_of(c->dstKind),
		.flags = c->flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC ?
		    COPY_ASYNC : 0,
		.tid = l.tid, .src_device = c->srcDeviceId,
		.dst_device = c->dstDeviceId, .graph = c->graphId,
		.graph_node = c->graphNodeId,
	};

	EMIT(COPY, &r);
}

static void
decode_memset(const CUpti_ActivityMemset4 *m)
{
	struct launch l = launch_get(m->correlationId);
	struct record_MEMSET r = {
		.device = m->deviceId, .context = m->contextId,
		.stream = m->streamId, .correlation = m->correlationId,
		.start_ns = m->start, .end_ns = m->end,
		.launch_ns = l.enter_ns, .bytes = m->bytes, .value = m->value,
		.memory = memory_of(m->memoryKind),
		.flags = m->flags & CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC ?
		    COPY_ASYNC : 0,
		.tid = l.tid, .graph = m->graphId,
	};

	EMIT(MEMSET, &r);
}

/* The UVM kinds have CUPTI's numbers. */
_Static_assert((int)UVM_H2D ==
    (int)CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD &&
    (int)UVM_CPU_FAULT ==
    (int)CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT &&
    (int)UVM_THROTTLING ==
    (int)CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THROTTLING &&
    (int)UVM_D2D ==
    (int)CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD &&
    (int)UVM_USER == (int)CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_USER &&
    (int)UVM_PREFETCH ==
    (int)CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_PREFETCH, "UVM");

static void
decode_managed(const cupti_managed *u)
{
	struct record_UVM r = {
		.kind = (uint32_t)u->counterKind, .src_device = u->srcId,
		.dst_device = u->dstId, .flags = u->flags,
		.address = u->address, .bytes = u->value, .start_ns = u->start,
		.end_ns = u->end,
	};

	switch (r.kind) {
	case UVM_CPU_FAULT:
		r.bytes = 1;	/* CUPTI's value is the faulting instruction */
		r.end_ns = r.start_ns;
		break;
	case UVM_THRASHING:
	case UVM_REMOTE_MAP:
		r.end_ns = r.start_ns;	/* CUPTI: to be ignored */
		break;
	case UVM_WATCHED:
		return;
	default:
		break;
	}
	EMIT(UVM, &r);
}

/* Records the overhead of measuring only: lazy loading and JIT belong to the
 * program. */
static uint64_t last_ns;	/* begin of the last flush; 0: there was none */

void
decode_last(uint64_t ns)
{

	if (last_ns == 0)
		last_ns = ns;
}

/* A flush of this library's thread or of CUPTI's: the program waits for the last one only.
 * One that began while a call of the program waited in the driver takes as long as that
 * call. */
static bool
is_aside(const CUpti_ActivityOverhead3 *o, uint32_t tid)
{

	return !callers_has(tid) && (last_ns == 0 || o->start < last_ns);
}

static void
decode_overhead(const CUpti_ActivityOverhead3 *o)
{
	struct record_OVERHEAD r = {
		.tid = o->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD ?
		    o->objectId.pt.threadId : 0,
		.start_ns = o->start, .end_ns = o->end,
	};

	switch ((unsigned)o->overheadKind) {
	case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH:
	case CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST:
		if (is_aside(o, r.tid))
			return;
		r.kind = OVERHEAD_CUPTI_BUFFER;
		break;
	case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION:
		r.kind = OVERHEAD_CUPTI_INSTRUMENT;
		break;
	case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE:
		r.kind = OVERHEAD_CUPTI_RESOURCE;
		break;
	case CUPTI_OVERHEAD_UVM_INIT:
		r.kind = OVERHEAD_CUPTI_OTHER;
		break;
	default:
		return;
	}
	EMIT(OVERHEAD, &r);
}

static void
decode_jit(const CUpti_ActivityJit2 *j)
{
	struct record_JIT r = {
		.operation = j->jitOperationType ==
		    CUPTI_ACTIVITY_JIT_OPERATION_COMPILE ? JIT_COMPILE :
		    j->jitOperationType ==
		    CUPTI_ACTIVITY_JIT_OPERATION_CACHE_LOAD ? JIT_LOAD :
		    j->jitOperationType ==
		    CUPTI_ACTIVITY_JIT_OPERATION_CACHE_STORE ? JIT_STORE :
		    JIT_UNKNOWN,
		.device = j->deviceId, .tid = j->threadId,
		.correlation = j->correlationId, .start_ns = j->start,
		.end_ns = j->end,
	};

	EMIT(JIT, &r);
}

void
decode_record(const CUpti_Activity *a)
{
	const void *p = a;

	switch (a->kind) {
	case CUPTI_ACTIVITY_KIND_KERNEL:
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		decode_kernel(p);
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		decode_copy(p);
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
		decode_peer_copy(p);
		break;
	case CUPTI_ACTIVITY_KIND_MEMSET:
		decode_memset(p);
		break;
	case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
		decode_managed(p);
		break;
	case CUPTI_ACTIVITY_KIND_OVERHEAD:
		decode_overhead(p);
		break;
	case CUPTI_ACTIVITY_KIND_MARKER:
		range_marker(p);
		break;
	case CUPTI_ACTIVITY_KIND_JIT:
		decode_jit(p);
		break;
	case CUPTI_ACTIVITY_KIND_DEVICE:
		device_announce(p);
		break;
	case CUPTI_ACTIVITY_KIND_CONTEXT: {
		const CUpti_ActivityContext3 *c = p;
		struct record_CONTEXT r = { .id = c->contextId,
		    .device = c->deviceId, .null_stream = c->nullStreamId,
		    .now_ns = inject_now() };

		device_used(c->deviceId);
		EMIT(CONTEXT, &r);
		break;
	}
	case CUPTI_ACTIVITY_KIND_STREAM: {
		const CUpti_ActivityStream *s = p;
		struct record_STREAM r = { .context = s->contextId,
		    .id = s->streamId, .flags = (uint32_t)s->flag,
		    .priority = s->priority };

		EMIT(STREAM, &r);
		break;
	}
	default:
		break;
	}
}
