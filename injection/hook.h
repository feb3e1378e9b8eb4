/*
 * hook.h: interposes _exit, which no exit handler sees, abort, and exit before its
 * handlers run. The global offset tables of the program and of its loaded libraries are
 * patched: calls of exit, _exit, _Exit and abort first come here, and then go to their
 * previous target, which may be in another library.
 */
#ifndef CADV_HOOK_H
#define CADV_HOOK_H

#include "wire/record.h"

/* hook_exit(depart, finish): patch all objects loaded so far: _exit, _Exit, and abort
 * if no handler catches it, call ${finish} first; exit calls ${depart} first. Tables
 * keep their protection. Objects that cannot be patched are left alone. */
void hook_exit(void (*depart)(void), void (*finish)(enum wire_bye reason));

#endif
