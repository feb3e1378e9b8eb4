/*
 * hook.h: a way to be told of _exit, which no exit handler sees, and of exit
 * before its handlers run. The calls of exit, _exit and _Exit in the program and
 * the libraries it has loaded are led through us by their global offset tables;
 * nothing else of them changes.
 */
#ifndef CADV_HOOK_H
#define CADV_HOOK_H

/* hook_exit(): lead _exit and _Exit of all objects loaded so far through
 * inject_finish, exit through counters_close. Objects that cannot be patched are
 * left as they are. */
void hook_exit(void);

#endif
