/*
 * nvtx.h: hands the program's NVTX to CUPTI. NVTX asks for its functions at the first
 * call of each library that uses it, which may come long before the first call of CUDA.
 */
#ifndef CADV_NVTX_H
#define CADV_NVTX_H

#include "cupti_api.h"

/*
 * nvtx_begin(table, begin): have CUPTI's ${begin} (cuptiNvtxInitialize, or …2; may be NULL)
 * put its functions into NVTX's table, which ${table} returns. Its functions for ranges and
 * marks crash until the driver has started this library (seen with CUPTI 13.0): until then
 * NVTX does nothing in their place, and only the handles of domains and strings are made.
 * 1: done, as NVTX expects it; 0: NVTX goes on without CUPTI.
 */
int nvtx_begin(void *table, CUptiResult (*begin)(void *table));

/* nvtx_ready(): the driver has started the library, and CUPTI has a subscriber: from now on
 * ranges are made, also by those that came before. */
void nvtx_ready(void);

#endif
