/*
 * window.h: the lock for everything that measures. Only its holder may turn a profiler
 * or PC sampling on or off, open a measuring window, and use data marked as guarded by
 * the window: targets (target.h), the list of counters, the plan (plan.h), episodes
 * (episode.h), and fields of struct signature and struct family.
 *
 * Who holds it, and for how long:
 * - counters.c, from the API-enter callback of a launch to its API-exit callback,
 *   within --max-stall;
 * - episode.c, likewise, when it turns PC sampling on or off;
 * - prepare.c's job on the worker thread, while CUPTI sets up a context, which ends by
 *   itself: after 0.8 s at most as measured on an H200;
 * - the sender thread, while it sends values (values.c) or the last samples
 *   (sampling.c).
 *
 * window_try never waits; a caller that polls it sets its own bound (nap.h). If the
 * kernel of a window does not end in time, the holder defers the window: the program
 * goes on, nobody holds the window until window_resume takes it over, in any thread,
 * and window_try fails meanwhile. All functions: any thread.
 */
#ifndef CADV_WINDOW_H
#define CADV_WINDOW_H

#include <stdbool.h>

/* window_try(): take the window. False if it is held or deferred. */
bool window_try(void);

/* window_release(): give the window back. Only its holder may call this. */
void window_release(void);

/* window_is_held(): whether it is held or deferred. window_is_own(): whether the calling
 * thread is the one that holds it. */
bool window_is_held(void);
bool window_is_own(void);

/* window_defer(): leave the window to the thread that calls window_resume. Only its
 * holder may call this. window_resume(): take the deferred window; false if it is not
 * deferred. window_is_deferred(): one load. */
void window_defer(void);
bool window_resume(void);
bool window_is_deferred(void);

/* window_shut(): the program ends: no launch is measured any more. False if that was
 * called before. window_is_shut(): one load. */
bool window_shut(void);
bool window_is_shut(void);

#endif
