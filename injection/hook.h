/*
 * hook.h: a way to be told of _exit, which no exit handler sees, of abort, and of
 * exit before its handlers run. The calls of exit, _exit, _Exit and abort in the
 * program and the libraries it has loaded are led through us by their global
 * offset tables, and go on to what stood there: that may be another library's.
 */
#ifndef CADV_HOOK_H
#define CADV_HOOK_H

/* hook_exit(): lead _exit, _Exit and an abort that nobody catches in all objects
 * loaded so far through inject_finish, exit through counters_close. Tables are
 * as writable as before. Objects that cannot be patched are left as they are. */
void hook_exit(void);

#endif
