/*
 * hook.h: interposes _exit, which no exit handler sees, abort, and exit before
 * its handlers run. The global offset tables of the program and of the
 * libraries it has loaded are changed so that calls of exit, _exit, _Exit and
 * abort come here first and then go on to the previous target, which may be
 * another library's.
 */
#ifndef CADV_HOOK_H
#define CADV_HOOK_H

#include "wire/record.h"

/* hook_exit(depart, finish): in all objects loaded so far, _exit, _Exit and an abort
 * that no handler catches call ${finish} first, and exit calls ${depart}. Tables keep
 * their protection. Objects that cannot be patched stay as they are. */
void hook_exit(void (*depart)(void), void (*finish)(enum wire_bye reason));

#endif
