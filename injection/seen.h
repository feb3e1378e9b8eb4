/*
 * seen.h: what a Python program's thread is in while the GPU may wait for it: a thread of
 * the library looks at its frames from time to time. Records of what the host was away for
 * (call_site.h) tell in front of which call it was; these tell what it did meanwhile.
 *
 * The looks take nothing from the program but a processor's time, LOOK_SHARE of one at
 * most after the first hundred, which may take 5 %. A look at 30 frames takes 26 us of its
 * own thread, 135 us if the stack is new, on two shared processors of a Xeon with CPython
 * 3.11 to 3.13; a thread that is looked at 1000 times a second takes as much of its
 * processor's time as beside a thread that only sleeps, +- 0.7 % (tests/bench/bench_look.py).
 *
 * Frames are read as they are found (python_peek.h); whether they are read rightly is
 * checked first, in a callback, in which the thread's frames do not change and the
 * interpreter has told them.
 */
#ifndef CADV_SEEN_H
#define CADV_SEEN_H

#include <stddef.h>
#include <stdint.h>

/* seen_watch(text, len): in a callback of a thread whose Python frames are ${text}
 * (python_frames): this thread is to be looked at, if it is the first such one, or the
 * process's main thread, or if the one that was looked at has ended. Allocates nothing,
 * does not wait; until the reader is checked it takes as long as a look. */
void seen_watch(const char *text, size_t len);

/* The number of the site with thread ${tid}'s Python frames ${text}; 0: there is no room
 * (call_site_seen). */
typedef uint32_t seen_site_fn(const char *text, size_t len, uint32_t tid);

/* seen_start(site): find the interpreter if seen_watch has been called, and start to look if
 * there is a thread to look at; ${site} is called by the thread that looks. To be called
 * again and again. Sender thread only. */
void seen_start(seen_site_fn *site);

#endif
