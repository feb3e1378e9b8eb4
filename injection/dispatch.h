/*
 * dispatch.h: the driver opens one library, and which one can serve a process
 * is known there only: what the driver is, and whether the program brings a
 * CUPTI. So the one that is opened looks (wire/toolkit.h) and hands over to a
 * sibling of its own folder where that is the right one. The siblings hand over
 * to nobody.
 */
#ifndef CADV_DISPATCH_H
#define CADV_DISPATCH_H

#include <stddef.h>

/* dispatch_find(name): the function of this name of the sibling that serves
 * this process; NULL: this library does. Decided once, by who asks first. */
void *dispatch_find(const char *name);

/* dispatch_refused(why, size): DIAG_NONE, or why no library can serve: an enum
 * wire_diag, and the reason in ${why}. CUPTI is not to be opened then. */
int dispatch_refused(char *why, size_t size);

#endif
