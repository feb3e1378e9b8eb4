/*
 * relax.h: for our own work, and our driver and CUPTI calls, in a thread of the
 * program.
 *
 * Another thread may be capturing a stream. In the mode cudaStreamCaptureModeGlobal, the
 * default, a call that may allocate, synchronise or load code invalidates such a
 * capture, whichever thread makes it, unless that thread is in relaxed mode.
 *
 * Values that were not measured are NaN. The program may let invalid operations trap, or
 * look later at the flags that they leave, as the Fortran runtime does at the end.
 */
#ifndef CADV_RELAX_H
#define CADV_RELAX_H

#include <fenv.h>

#include "cupti_api.h"

/* What the program's thread had before. */
struct relax {
	CUstreamCaptureMode mode;
	fenv_t arithmetic;
};

/* relax_begin(): put this thread into relaxed mode, in which it may make any call, and
 * in which no arithmetic traps; returns what it had before. relax_end(before): restore
 * that, before the program's thread goes on. They come in pairs, which may nest; a
 * thread of ours need not call relax_end. The driver must be initialised. */
struct relax relax_begin(void);
void relax_end(const struct relax *before);

#endif
