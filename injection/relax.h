/*
 * relax.h: driver and CUPTI calls of ours while another thread of the program
 * captures a stream. In the mode cudaStreamCaptureModeGlobal, the default, a call
 * that may allocate, synchronise or load code breaks such a capture, whichever
 * thread makes it, unless that thread is in relaxed mode.
 */
#ifndef CADV_RELAX_H
#define CADV_RELAX_H

#include "cupti_api.h"

/* relax_begin(): this thread may make any call from here on; returns the mode in
 * which it was. relax_end(before): that mode again, before the program's thread
 * goes on. In pairs, which may nest; a thread of ours need not end. The driver
 * must be initialised. */
CUstreamCaptureMode relax_begin(void);
void relax_end(CUstreamCaptureMode before);

#endif
