#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "emit.h"
#include "globals.h"
#include "inject.h"
#include "memory.h"

#define SLOTS (2 * MEMORY_LIVE)	/* half of them are free: probe sequences are short */
#define BLOCK 64		/* slots that are passed over together if all are free */

enum { ALLOCATED = 1, RELEASED = 2 };	/* operation of record_MEMORY */

struct live {
	uint64_t address;	/* 0: a free slot */
	uint64_t bytes;
	uint32_t context;
	uint16_t device;
	uint8_t kind, flags;
};

static struct {
	pthread_mutex_t lock;
	struct live *slot;	/* 12 MiB of address space */
	uint8_t taken[SLOTS / BLOCK];	/* slots of each block that are not free */
	uint32_t count;
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The release that this thread is executing; restored if it fails. */
static _Thread_local struct {
	uint32_t correlation;
	struct live live;
} releasing;

void
memory_init(void)
{
	void *p = mmap(NULL, SLOTS * sizeof(*table.slot), PROT_READ |
	    PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	table.slot = p == MAP_FAILED ? NULL : p;
}

/* --- the table: linear probing without tombstones ------------------------------ */

static uint32_t
home(uint64_t address)
{

	return (uint32_t)XXH64(&address, sizeof(address), 0) & (SLOTS - 1);
}

/* The slot of ${address}, or the free slot where it belongs. */
static uint32_t
find(uint64_t address)
{
	uint32_t i = home(address);

	while (table.slot[i].address != 0 && table.slot[i].address != address)
		i = (i + 1) & (SLOTS - 1);
	return i;
}

/* False if there is no room. If the address is in the table already, a release was
 * missed, for example that of a destroyed context: replace it. */
static bool
put(const struct live *l)
{
	uint32_t i;
	bool room = false;

	pthread_mutex_lock(&table.lock);
	if (table.slot != NULL) {
		i = find(l->address);
		room = table.slot[i].address != 0 || table.count < MEMORY_LIVE;
		if (room) {
			table.taken[i / BLOCK] += table.slot[i].address == 0;
			table.count += table.slot[i].address == 0;
			table.slot[i] = *l;
		}
	}
	pthread_mutex_unlock(&table.lock);
	return room;
}

/* Frees slot ${i}. Entries behind it move up if that brings them nearer to their home
 * slots. */
static void
clear(uint32_t i)
{
	uint32_t j, h;

	for (j = (i + 1) & (SLOTS - 1); table.slot[j].address != 0;
	    j = (j + 1) & (SLOTS - 1)) {
		h = home(table.slot[j].address);
		if (((j - h) & (SLOTS - 1)) < ((j - i) & (SLOTS - 1)))
			continue;
		table.slot[i] = table.slot[j];
		i = j;
	}
	table.slot[i].address = 0;
	table.taken[i / BLOCK]--;
	table.count--;
}

static bool
take(uint64_t address, struct live *out)
{
	uint32_t i;
	bool there = false;

	pthread_mutex_lock(&table.lock);
	if (table.slot != NULL) {
		i = find(address);
		there = table.slot[i].address != 0;
		*out = table.slot[i];
		if (there)
			clear(i);
	}
	pthread_mutex_unlock(&table.lock);
	return there;
}

void
memory_context_gone(uint32_t context)
{
	uint32_t i, b;

	pthread_mutex_lock(&table.lock);
	for (b = 0; b < SLOTS / BLOCK && table.count > 0; b++)
		for (i = b * BLOCK; i < (b + 1) * BLOCK && table.taken[b] > 0; i++)
			/* What moves up into a cleared slot is looked at, too. */
			while (table.slot[i].address != 0 &&
			    table.slot[i].context == context &&
			    (table.slot[i].flags & MEMORY_ASYNC) == 0)
				clear(i);
	pthread_mutex_unlock(&table.lock);
}

/* --- the calls ------------------------------------------------------------ */

static void
emit_memory(uint8_t operation, const struct live *l, uint32_t stream,
    uint32_t correlation, uint64_t now_ns)
{
	struct record_MEMORY r = { .operation = operation, .kind = l->kind,
	    .flags = l->flags, .device = l->device, .context = l->context,
	    .stream = stream, .correlation = correlation,
	    .address = l->address, .bytes = l->bytes, .now_ns = now_ns };

	EMIT(MEMORY, &r);
}

/* How the parameters of most of these calls begin. */
struct begin {
	const void *out;	/* points to the address after a success */
	size_t bytes;
};
#define LIKE_BEGIN(call, a)						\
	_Static_assert(offsetof(call##_params, a) ==			\
	    offsetof(struct begin, out) && offsetof(call##_params, bytesize) == \
	    offsetof(struct begin, bytes), #call)
LIKE_BEGIN(cuMemAlloc_v2, dptr);
LIKE_BEGIN(cuMemAllocAsync, dptr);
LIKE_BEGIN(cuMemAllocAsync_ptsz, dptr);
LIKE_BEGIN(cuMemAllocFromPoolAsync, dptr);
LIKE_BEGIN(cuMemAllocFromPoolAsync_ptsz, dptr);
LIKE_BEGIN(cuMemAllocManaged, dptr);
LIKE_BEGIN(cuMemHostAlloc, pp);
LIKE_BEGIN(cuMemAllocHost_v2, pp);
LIKE_BEGIN(cuMemHostRegister, p);
LIKE_BEGIN(cuMemHostRegister_v2, p);

struct begin_array {
	const void *out;	/* points to the handle after a success */
	const void *descriptor;
};
#define LIKE_ARRAY(call, a)						\
	_Static_assert(offsetof(call##_params, pHandle) ==		\
	    offsetof(struct begin_array, out) && offsetof(call##_params, a) == \
	    offsetof(struct begin_array, descriptor), #call)
LIKE_ARRAY(cuArrayCreate_v2, pAllocateArray);
LIKE_ARRAY(cuArray3DCreate_v2, pAllocateArray);
LIKE_ARRAY(cuMipmappedArrayCreate, pMipmappedArrayDesc);

enum how {
	MADE,			/* parameters begin with struct begin */
	PITCHED,		/* the driver chose the row length (pitch) */
	GIVEN,			/* the first parameter is the address */
	ARRAY,			/* parameters begin with struct begin_array, the
				 * descriptor has two dimensions */
	ARRAY_3D,		/* and three */
	MIPMAPPED,		/* and levels */
	FREED			/* the first parameter is the address */
};

#define ROW(call, how, kind)						\
	{ CUPTI_DRIVER_TRACE_CBID_##call, how, MEMORY_##kind, 0, false, 0 }
#define ASYNC(call, how, each)						\
	{ CUPTI_DRIVER_TRACE_CBID_##call, how, MEMORY_DEVICE, MEMORY_ASYNC, \
	    each, offsetof(call##_params, hStream) }

static const struct how_row {
	CUpti_CallbackId cbid;
	uint8_t how, kind, flags;
	bool per_thread;	/* stream NULL is the thread's own */
	size_t stream;		/* offset in the parameters; 0: none */
} rows[] = {
	ROW(cuMemAlloc_v2, MADE, DEVICE),
	ROW(cuMemFree_v2, FREED, DEVICE),
	ASYNC(cuMemAllocAsync, MADE, false),
	ASYNC(cuMemAllocAsync_ptsz, MADE, true),
	ASYNC(cuMemAllocFromPoolAsync, MADE, false),
	ASYNC(cuMemAllocFromPoolAsync_ptsz, MADE, true),
	ASYNC(cuMemFreeAsync, FREED, false),
	ASYNC(cuMemFreeAsync_ptsz, FREED, true),
	ROW(cuMemAllocPitch_v2, PITCHED, DEVICE),
	ROW(cuMemAllocManaged, MADE, MANAGED),
	ROW(cuMemHostAlloc, MADE, PINNED),
	ROW(cuMemAllocHost_v2, MADE, PINNED),
	ROW(cuMemFreeHost, FREED, PINNED),
	ROW(cuMemHostRegister, GIVEN, PINNED),
	ROW(cuMemHostRegister_v2, GIVEN, PINNED),
	ROW(cuMemHostUnregister, FREED, PINNED),
	ROW(cuArrayCreate_v2, ARRAY, ARRAY),
	ROW(cuArray3DCreate_v2, ARRAY_3D, ARRAY),
	ROW(cuMipmappedArrayCreate, MIPMAPPED, ARRAY),
	ROW(cuArrayDestroy, FREED, ARRAY),
	ROW(cuMipmappedArrayDestroy, FREED, ARRAY),
};

static const struct how_row *
row_of(const struct call_row *call, const CUpti_CallbackData *d)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].cbid == call->cbid && d->functionParams != NULL)
			return &rows[i];
	return NULL;
}

static uint32_t
stream_of(const struct how_row *row, const CUpti_CallbackData *d)
{
	const uint8_t *params = d->functionParams;
	uint32_t id = UINT32_MAX;
	CUstream stream;

	if (row->stream == 0 || inject.api.cuptiGetStreamIdEx == NULL ||
	    d->context == NULL)
		return UINT32_MAX;
	memcpy(&stream, params + row->stream, sizeof(stream));
	if (inject.api.cuptiGetStreamIdEx(d->context, stream, row->per_thread,
	    &id) != CUPTI_SUCCESS)
		return UINT32_MAX;
	return id;
}

/* Bytes of a channel of an element; 0 for formats in which elements share bytes. */
static uint64_t
channel_bytes(CUarray_format format)
{

	switch ((int)format) {
	case CU_AD_FORMAT_UNSIGNED_INT8: case CU_AD_FORMAT_SIGNED_INT8:
		return 1;
	case CU_AD_FORMAT_UNSIGNED_INT16: case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_HALF:
		return 2;
	case CU_AD_FORMAT_UNSIGNED_INT32: case CU_AD_FORMAT_SIGNED_INT32:
	case CU_AD_FORMAT_FLOAT:
		return 4;
	default:
		return 0;
	}
}

/* The bytes of the elements of an array with ${levels} levels. A dimension that it does
 * not have is 0. */
static uint64_t
array_bytes(const CUDA_ARRAY3D_DESCRIPTOR *a, unsigned levels)
{
	bool layers = (a->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
	uint64_t w = a->Width, h = a->Height, depth = a->Depth, n = 0;
	unsigned i;

	/* Memory for these is made and mapped apart from the array. */
	if ((a->Flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING)) != 0)
		return 0;
	for (i = 0; i < levels && i < 32; i++) {
		n += (w > 0 ? w : 1) * (h > 0 ? h : 1) * (depth > 0 ? depth : 1);
		w /= 2;
		h /= 2;
		if (!layers)
			depth /= 2;
	}
	return n * a->NumChannels * channel_bytes(a->Format);
}

static void
look_array(enum how how, const void *params, struct live *l)
{
	const cuMipmappedArrayCreate_params *p = params;
	const struct begin_array *b = params;
	CUDA_ARRAY3D_DESCRIPTOR a = { .Depth = 0 };
	CUDA_ARRAY_DESCRIPTOR two;

	if (b->out == NULL || b->descriptor == NULL)
		return;
	memcpy(&l->address, b->out, sizeof(l->address));
	if (how == ARRAY) {
		memcpy(&two, b->descriptor, sizeof(two));
		a.Width = two.Width;
		a.Height = two.Height;
		a.Format = two.Format;
		a.NumChannels = two.NumChannels;
	} else {
		memcpy(&a, b->descriptor, sizeof(a));
	}
	l->bytes = array_bytes(&a, how == MIPMAPPED ? p->numMipmapLevels : 1);
}

/* Reads what was allocated, after a successful call: only then are its out-parameters
 * valid. The address stays 0 if there is none. */
static void
look(const struct how_row *row, const void *params, struct live *l)
{
	const struct begin *b = params;
	const cuMemAllocPitch_v2_params *pitch = params;

	l->kind = row->kind;
	l->flags = row->flags;
	switch ((enum how)row->how) {
	case MADE:
		if (b->out != NULL)
			memcpy(&l->address, b->out, sizeof(l->address));
		l->bytes = b->bytes;
		break;
	case PITCHED:
		if (pitch->dptr == NULL || pitch->pPitch == NULL)
			break;
		l->address = *pitch->dptr;
		l->bytes = *pitch->pPitch * pitch->Height;
		break;
	case GIVEN:
		l->address = (uintptr_t)b->out;
		l->bytes = b->bytes;
		break;
	case ARRAY:
	case ARRAY_3D:
	case MIPMAPPED:
		look_array((enum how)row->how, params, l);
		break;
	case FREED:
		break;
	}
}

void
memory_enter(const struct call_row *call, const CUpti_CallbackData *d,
    uint64_t now_ns)
{
	const struct how_row *row = row_of(call, d);
	uint64_t address;

	releasing.correlation = 0;
	if (row == NULL || row->how != FREED)
		return;
	memcpy(&address, d->functionParams, sizeof(address));
	if (address == 0 || !take(address, &releasing.live))
		return;
	releasing.correlation = d->correlationId;
	emit_memory(RELEASED, &releasing.live, stream_of(row, d),
	    d->correlationId, now_ns);
}

void
memory_exit(const struct call_row *call, const CUpti_CallbackData *d,
    uint32_t device, uint64_t now_ns)
{
	const struct how_row *row = row_of(call, d);
	struct live l = { .context = d->contextUid,
	    .device = (uint16_t)device };
	bool failed = d->functionReturnValue != NULL &&
	    *(CUresult *)d->functionReturnValue != CUDA_SUCCESS;

	if (row == NULL)
		return;
	if (failed && releasing.correlation != 0 &&
	    releasing.correlation == d->correlationId)
		l = releasing.live;
	else if (!failed)
		look(row, d->functionParams, &l);
	releasing.correlation = 0;
	if (l.address == 0)
		return;
	if (put(&l))
		emit_memory(ALLOCATED, &l, stream_of(row, d), d->correlationId,
		    now_ns);
	else
		emit_lost(LOSS_TABLE, 1);
}

/* --- memory that no call allocates ---------------------------------------------- */

static void
emit_globals(uint8_t kind, uint64_t bytes, uint32_t device)
{
	struct live l = { .kind = kind, .flags = MEMORY_GLOBAL,
	    .device = (uint16_t)device, .bytes = bytes };

	if (bytes > 0)
		emit_memory(ALLOCATED, &l, UINT32_MAX, 0, inject_now());
}

bool
memory_module(const CUpti_ModuleResourceData *d, uint32_t device)
{
	struct globals g = { 0, 0 };

	if (d != NULL && d->pCubin != NULL)
		g = globals_of(d->pCubin, d->cubinSize);
	emit_globals(MEMORY_STATIC, g.device, device);
	emit_globals(MEMORY_MANAGED, g.managed, device);
	return g.managed > 0;
}
