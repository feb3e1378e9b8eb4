#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "diag.h"
#include "emit.h"
#include "inject.h"

#define DEVICE_MAX 64

static _Atomic uint64_t first;	/* GPU that the program used first + 1; 0: none yet */
static _Atomic bool several;

void
device_used(uint32_t device)
{
	uint64_t none = 0;

	if (!atomic_compare_exchange_strong(&first, &none, (uint64_t)device + 1) &&
	    none != (uint64_t)device + 1)
		atomic_store(&several, true);
}

bool
device_several(void)
{

	return atomic_load_explicit(&several, memory_order_relaxed);
}

int
device_chip(uint32_t device, char *out, size_t size)
{
	CUpti_Device_GetChipName_Params p = {
		.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE,
		.deviceIndex = device };

	if (inject.api.cuptiDeviceGetChipName == NULL ||
	    inject.api.cuptiDeviceGetChipName(&p) != CUPTI_SUCCESS ||
	    p.pChipName == NULL)
		return -1;
	snprintf(out, size, "%s", p.pChipName);
	return 0;
}

static uint32_t
attribute(uint32_t device, CUdevice_attribute a, uint32_t otherwise)
{
	CUdevice handle;
	int v;

	if (inject.api.cuDeviceGet == NULL ||
	    inject.api.cuDeviceGetAttribute == NULL ||
	    inject.api.cuDeviceGet(&handle, (int)device) != CUDA_SUCCESS ||
	    inject.api.cuDeviceGetAttribute(&v, a, handle) != CUDA_SUCCESS ||
	    v < 0)
		return otherwise;
	return (uint32_t)v;
}

/* Whether the driver shares contexts through MPS. If the driver lacks the attribute,
 * the environment decides. */
static bool
under_mps(uint32_t device)
{
	uint32_t v = attribute(device, CU_DEVICE_ATTRIBUTE_MPS_ENABLED,
	    UINT32_MAX);

	return v == UINT32_MAX ? getenv("CUDA_MPS_PIPE_DIRECTORY") != NULL :
	    v != 0;
}

/* Reports what limits the counters of a device that is shared, or is a part of one. */
static void
warn_shared(const CUpti_ActivityDevice5 *d)
{
	char where[32];

	snprintf(where, sizeof(where), "device %u", d->id);
	if (d->isMigEnabled)
		diag_report(DIAG_MIG, SEVERITY_WARNING, 0, where, "this GPU is "
		    "a MIG slice: counters of what slices share (L2 cache, "
		    "memory, links) may be refused, missing or include the "
		    "work of others");
	if (under_mps(d->id))
		diag_report(DIAG_MPS, SEVERITY_WARNING, 0, where, "programs "
		    "share this GPU through MPS, which refuses counters: only "
		    "times are measured");
}

static _Atomic uint64_t announced;		/* one bit per device */
static _Atomic uint64_t enabled[DEVICE_MAX];	/* by device: one bit per peer */

static void
announce_peer(uint32_t device, uint32_t peer)
{
	struct record_PEER r = { .device = device, .peer = peer };
	CUdevice from, to;
	int can = 0;

	if (inject.api.cuDeviceCanAccessPeer == NULL ||
	    inject.api.cuDeviceGet == NULL ||
	    inject.api.cuDeviceGet(&from, (int)device) != CUDA_SUCCESS ||
	    inject.api.cuDeviceGet(&to, (int)peer) != CUDA_SUCCESS ||
	    inject.api.cuDeviceCanAccessPeer(&can, from, to) != CUDA_SUCCESS)
		return;
	r.flags = (can ? PEER_CAN : 0) |
	    (atomic_load(&enabled[device]) >> peer & 1 ? PEER_ENABLED : 0);
	EMIT(PEER, &r);
}

/* Sends the PEER records of ${device}. Each follows the DEVICE records of both GPUs. */
static void
announce_peers(uint32_t device)
{
	uint64_t others = atomic_load(&announced) & ~(1ull << device);
	uint32_t i;

	for (i = 0; i < DEVICE_MAX; i++)
		if (others >> i & 1) {
			announce_peer(device, i);
			announce_peer(i, device);
		}
}

void
device_peer_enabled(uint32_t device, uint32_t peer)
{
	struct record_PEER r = { .device = device, .peer = peer,
	    .flags = PEER_CAN | PEER_ENABLED };
	uint64_t both;

	if (device >= DEVICE_MAX || peer >= DEVICE_MAX)
		return;
	both = 1ull << device | 1ull << peer;
	atomic_fetch_or(&enabled[device], 1ull << peer);
	/* If one is not announced yet, announce_peers sends PEER later. */
	if ((atomic_load(&announced) & both) == both)
		EMIT(PEER, &r);
}

static void
say_uuid(const CUuuid *u, char out[33])
{
	unsigned i;

	for (i = 0; i < sizeof(u->bytes); i++)
		snprintf(out + 2 * i, 3, "%02x", (unsigned char)u->bytes[i]);
}

void
device_uuid(uint32_t device, char out[33])
{
	CUuuid u = { { 0 } };
	CUdevice d;

	if (inject.api.cuDeviceGet == NULL ||
	    inject.api.cuDeviceGetUuid_v2 == NULL ||
	    inject.api.cuDeviceGet(&d, (int)device) != CUDA_SUCCESS ||
	    inject.api.cuDeviceGetUuid_v2(&u, d) != CUDA_SUCCESS)
		memset(&u, 0, sizeof(u));
	say_uuid(&u, out);
}

void
device_announce(const CUpti_ActivityDevice5 *d)
{
	char uuid[33], chip[64] = "";
	struct record_DEVICE r;

	if (d->id >= DEVICE_MAX || (atomic_fetch_or(&announced,
	    1ull << d->id) & 1ull << d->id) != 0)
		return;
	say_uuid(&d->uuid, uuid);
	device_chip(d->id, chip, sizeof(chip));
	r = (struct record_DEVICE){
		.id = d->id, .cc_major = d->computeCapabilityMajor,
		.cc_minor = d->computeCapabilityMinor,
		.sms = d->numMultiprocessors,
		.max_threads_per_sm = d->maxWarpsPerMultiprocessor *
		    d->numThreadsPerWarp,
		.max_threads_per_block = d->maxThreadsPerBlock,
		.max_blocks_per_sm = d->maxBlocksPerMultiprocessor,
		.max_warps_per_sm = d->maxWarpsPerMultiprocessor,
		.warp_size = d->numThreadsPerWarp,
		.regs_per_sm = d->maxRegistersPerMultiprocessor,
		.regs_per_block = d->maxRegistersPerBlock,
		.smem_per_sm = d->maxSharedMemoryPerMultiprocessor,
		.smem_per_block = d->maxSharedMemoryPerBlock,
		.smem_per_block_optin = attribute(d->id,
		    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
		    d->maxSharedMemoryPerBlock),
		.smem_reserved = attribute(d->id,
		    CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 0),
		.core_khz = d->coreClockRate,
		.memory_khz = attribute(d->id,
		    CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 0),
		.memory_bus_bits = attribute(d->id,
		    CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 0),
		.memory_bytes = d->globalMemorySize,
		.l2_bytes = d->l2CacheSize,
		/* CUPTI gives kB/s */
		.memory_bandwidth = d->globalMemoryBandwidth * 1000,
		.async_engines = d->numMemcpyEngines, .mig = d->isMigEnabled,
		.flags = d->isCudaVisible ? 0 : DEVICE_HIDDEN,
		.name = wire_str_of(d->name), .chip = wire_str_of(chip),
		.uuid = wire_str_of(uuid),
	};
	EMIT(DEVICE, &r);
	if (d->isCudaVisible)
		announce_peers(d->id);
	warn_shared(d);
}
