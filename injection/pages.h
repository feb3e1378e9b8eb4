/*
 * pages.h: the page protections of this process, from /proc/self/maps.
 */
#ifndef CADV_PAGES_H
#define CADV_PAGES_H

#include <stdint.h>

/* pages_read(): read the list, a snapshot. -1 on failure. pages_forget(): free
 * it. One thread at a time. */
int pages_read(void);
void pages_forget(void);

/* pages_protection(at): PROT_* of the page at ${at}; 0 if unknown. */
int pages_protection(uintptr_t at);

#endif
