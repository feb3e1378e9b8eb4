/*
 * window.h: what counters.c, which measures, shares with values.c, which sends
 * what was measured. Everything is guarded by the window: whoever has set busy.
 */
#ifndef CADV_WINDOW_H
#define CADV_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "metrics.h"
#include "signature.h"

struct window {
	_Atomic bool busy;		/* somebody holds it */
	_Atomic bool deferred;		/* the kernel did not end in time */
	_Atomic bool closed;		/* for good; busy stays set */
	struct metrics set;		/* one chip a process */
	_Atomic uint32_t refused;	/* enum wire_skip for all: no counters */
	bool metrics_sent;
};
extern struct window window;

#endif
