/*
 * calls.h: the API calls that have callbacks, and the kind of each. For most, the
 * driver's entry points are enough: the runtime, cuBLAS, PyTorch and Triton all call
 * these. Only the runtime's synchronisations do not; of its arrays, textures and surfaces
 * that is not known, and a call of the runtime counts if the driver's within is not seen.
 */
#ifndef CADV_CALLS_H
#define CADV_CALLS_H

#include <stdint.h>

#include "cupti_api.h"

enum call_kind {
	CALLS_NONE,
	CALLS_LAUNCH,		/* a kernel: cuLaunchKernel */
	CALLS_LAUNCH_EX,
	CALLS_COOPERATIVE,
	CALLS_GRAPH,
	CALLS_RECORD,		/* an API record is emitted */
	CALLS_AROUND,		/* the runtime's; an API record is emitted if the
				 * driver's call of the same purpose within it has none */
	CALLS_COPY,		/* like RECORD; its parameters begin with destination
				 * and source */
	CALLS_COPY_UP,		/* like COPY; its source may be host memory */
	CALLS_MANAGED,		/* like RECORD, and managed memory is in use */
	CALLS_PINNED,		/* like RECORD, and kernels can reach host memory */
	CALLS_LOAD,		/* like RECORD, and it loads code */
	CALLS_CODE,		/* it loads or unloads code */
	CALLS_STREAM,		/* a stream is created */
	CALLS_STREAM_END,	/* a stream is destroyed */
	CALLS_WAIT,		/* a stream waits for the host or another
				 * process */
	CALLS_PEER,		/* cuCtxEnablePeerAccess */
	CALLS_PEER_DEVICE,	/* cudaDeviceEnablePeerAccess */
	CALLS_CAPTURE_BEGIN,
	CALLS_CAPTURE_END,
};

struct call_row {
	CUpti_CallbackId cbid;
	CUpti_CallbackDomain domain;
	uint16_t kind;		/* enum call_kind */
	uint16_t call;		/* enum wire_call */
};

/* calls_table(n): all rows. */
const struct call_row *calls_table(unsigned *n);

/* calls_find(domain, cbid): the row of a call, or NULL. One array look-up. */
const struct call_row *calls_find(CUpti_CallbackDomain domain,
    CUpti_CallbackId cbid);

/* calls_init(): fill the arrays of calls_find. */
void calls_init(void);

#endif
