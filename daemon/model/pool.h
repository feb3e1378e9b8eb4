/*
 * model/pool.h: interned strings of a run: one copy of each, at an address
 * that does not change until pool_clear. Strings are made printable UTF-8.
 */
#ifndef CADV_POOL_H
#define CADV_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/demangle.h"
#include "facts/reason.h"
#include "wire/record.h"

#define POOL_MAX_BYTES (64u << 20)

struct pool_entry;
struct pool_reason;

struct pool {
	struct pool_entry *table;
	struct pool_reason *reason;
	size_t bytes;
	uint64_t refused;	/* strings that did not fit any more */
	struct demangling names;
};

/* pool_text(p, s): the interned copy; "" when the pool is full; NULL only
 * without memory. */
const char *pool_text(struct pool *p, struct wire_str s);

/* pool_reason(p, code, more): a copy of the row of ${code} with the text
 * "its text: ${more}", interned; the row itself if there is no room. */
const struct reason *pool_reason(struct pool *p, enum reason_code code,
    const char *more);

/* pool_demangled(p, mangled): the C++ name, interned as pool_text does; NULL without
 * memory. The time it takes is bounded over all names of the run (base/demangle.h). */
const char *pool_demangled(struct pool *p, const char *mangled);

/* pool_names(p, mangled, name, short_name): the C++ name of the interned
 * ${mangled}, whole and for a table. -1 without memory. */
int pool_names(struct pool *p, const char *mangled, const char **name,
    const char **short_name);

void pool_clear(struct pool *p);

#endif
