/* report/intern.h: strings and structures of them, numbered from 1 by first
 * use: the tables of formats that write a string once. */
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
	bool failed;		/* no memory: the numbers are invalid */
};

/* intern_bytes(t, key, len, fresh): the number of ${key}; *${fresh}: is it new?
 * 0 without memory. intern_text: the same for a string. */
uint32_t intern_bytes(struct intern *t, const void *key, size_t len,
    bool *fresh);
uint32_t intern_text(struct intern *t, const char *text, bool *fresh);

/* intern_place(t, name, file, line, fresh): the same for a function's line;
 * ${file} may be NULL. */
uint32_t intern_place(struct intern *t, const char *name, const char *file,
    uint64_t line, bool *fresh);

void intern_clear(struct intern *t);

#endif
