/*
 * relax.h: for our own driver and CUPTI calls while another thread of the program may
 * be capturing a stream. In the mode cudaStreamCaptureModeGlobal, the default, a call
 * that may allocate, synchronise or load code invalidates such a capture, whichever
 * thread makes it, unless that thread is in relaxed mode.
 */
#ifndef CADV_RELAX_H
#define CADV_RELAX_H

#include "cupti_api.h"

/* relax_begin(): put this thread into relaxed mode, in which it may make any call;
 * returns its previous mode. relax_end(before): restore that mode, before the program's
 * thread goes on. They come in pairs, which may nest; a thread of ours need not call
 * relax_end. The driver must be initialised. */
CUstreamCaptureMode relax_begin(void);
void relax_end(CUstreamCaptureMode before);

#endif
