/*
 * dispatch.h: decides which injection library measures this process. The driver opens
 * one library, and only inside the process is it known which driver runs and whether
 * the program has loaded a CUPTI. The opened library decides (wire/toolkit.h). If the
 * library for another CUDA major in the same folder, its sibling, fits, it forwards its
 * entry points there. A sibling never forwards.
 */
#ifndef CADV_DISPATCH_H
#define CADV_DISPATCH_H

#include <stddef.h>

/* dispatch_find(name): the entry point ${name} of the sibling that measures this
 * process; NULL: this library measures it. Decided once, on the first call. */
void *dispatch_find(const char *name);

/* dispatch_refused(why, size): DIAG_NONE; or, if no library can measure this process,
 * an enum wire_diag with the reason in ${why}. CUPTI must not be opened then. */
int dispatch_refused(char *why, size_t size);

#endif
