/*
 * rules/library.h: is a kernel somebody else's, in a library that the user of
 * cudadvise does not build?
 */
#ifndef CADV_LIBRARY_H
#define CADV_LIBRARY_H

#include <stdbool.h>

struct run;
struct kernel;

/* library_owns(run, k): by the module that launches it, where the launch site
 * is known, else by its name. */
bool library_owns(const struct run *run, const struct kernel *k);

#endif
