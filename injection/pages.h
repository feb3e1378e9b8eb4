/*
 * pages.h: the page protections of this process, from /proc/self/maps.
 */
#ifndef CADV_PAGES_H
#define CADV_PAGES_H

#include <stdint.h>

/* pages_read(): read a snapshot of the list. 0; -1 if it fails. pages_forget(): free
 * it. One thread at a time. */
int pages_read(void);
void pages_forget(void);

/* pages_protection(at): the protection (PROT_*) of the page at ${at} in that snapshot;
 * 0: unknown. */
int pages_protection(uintptr_t at);

#endif
