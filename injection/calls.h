/*
 * calls.h: which API calls we look at, and as what. The driver's spellings are
 * enough: the runtime, cuBLAS, PyTorch and Triton all end there.
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
	CALLS_RECORD,		/* an API record is made */
	CALLS_MANAGED,		/* the same, and managed memory is in use */
	CALLS_CAPTURE_BEGIN,
	CALLS_CAPTURE_END,
};

struct call_row {
	CUpti_CallbackId cbid;	/* of the driver */
	uint16_t kind;		/* enum call_kind */
	uint16_t call;		/* enum wire_call */
};

/* calls_table(n): all rows. */
const struct call_row *calls_table(unsigned *n);

/* calls_find(cbid): the row of a driver call, or NULL. One array look-up. */
const struct call_row *calls_find(CUpti_CallbackId cbid);

/* calls_init(): build the look-up. */
void calls_init(void);

#endif
