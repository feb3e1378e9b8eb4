/* report/intern.h: texts and what is made of them, numbered from 1 as they are first
 * met: the tables of formats that write a text once. */
#ifndef CADV_INTERN_H
#define CADV_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interned;

/* Empty when zeroed. */
struct intern {
	struct interned *table;
	uint32_t count;
	bool failed;		/* no memory: numbers are not to be used */
};

/* intern_bytes(t, key, len, fresh): the number of ${key}; *${fresh}: it is new. 0
 * without memory. */
uint32_t intern_bytes(struct intern *t, const void *key, size_t len,
    bool *fresh);
uint32_t intern_text(struct intern *t, const char *text, bool *fresh);

/* intern_place(t, name, file, line, fresh): that of a function's line. */
uint32_t intern_place(struct intern *t, const char *name, const char *file,
    uint64_t line, bool *fresh);

void intern_clear(struct intern *t);

#endif
