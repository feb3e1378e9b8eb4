/*
 * window.h: the lock of all that measures. Its holder alone may turn a profiler or
 * PC sampling on or off, open a measuring window, and touch what is marked as
 * guarded by the window: targets (target.h), the list of counters, the plan (plan.h),
 * episodes (episode.h), and fields of struct signature and struct family.
 *
 * Who holds it, and for how long:
 *  - counters.c, from the API-enter callback of a launch to its API-exit, within
 *    --max-stall;
 *  - episode.c, the same way, where PC sampling is turned on or off;
 *  - prepare.c's job on the worker thread, while CUPTI sets a context up, which ends
 *    by itself: 0.8 s at most as measured on an H200;
 *  - the sender thread, while it sends values (values.c) or the last samples
 *    (sampling.c).
 *
 * window_try never waits; a caller that polls it brings its own bound (nap.h). A
 * holder whose kernel does not end in time defers the window: the program goes on,
 * nobody holds the window until window_resume takes it over, in any thread, and
 * window_try fails meanwhile. All calls: any thread.
 */
#ifndef CADV_WINDOW_H
#define CADV_WINDOW_H

#include <stdbool.h>

/* window_try(): hold the window from now on; false if it is held or deferred. */
bool window_try(void);

/* window_release(): hold it no longer. By its holder. */
void window_release(void);

/* window_is_held(): is it held or deferred? */
bool window_is_held(void);

/* window_defer(): leave it to the thread that calls window_resume. By its holder.
 * window_resume(): hold the deferred window; false if none is deferred.
 * window_is_deferred(): one load. */
void window_defer(void);
bool window_resume(void);
bool window_is_deferred(void);

/* window_shut(): the program ends: no launch is measured from now on. False if it
 * was closed before. window_is_shut(): one load. */
bool window_shut(void);
bool window_is_shut(void);

#endif
