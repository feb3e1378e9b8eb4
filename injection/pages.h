/*
 * pages.h: how the memory of this process is protected, as the kernel tells it.
 */
#ifndef CADV_PAGES_H
#define CADV_PAGES_H

#include <stdint.h>

/* pages_read(): read the list, which later changes do not reach. -1 if that does
 * not work. pages_forget(): free it. One thread at a time. */
int pages_read(void);
void pages_forget(void);

/* pages_protection(at): PROT_* of the page at ${at}; 0 if none is known. */
int pages_protection(uintptr_t at);

#endif
