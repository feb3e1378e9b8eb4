/*
 * base/hash.h: hashes that nobody outside the process can foresee, so that no
 * choice of ids or names makes a table slow; uthash comes with them. Not for what
 * is stored: each process has another seed. Any thread.
 */
#ifndef CADV_HASH_H
#define CADV_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Set before main. */
extern uint64_t hash_seed[3];

/* hash_u64(key): well mixed in all bits; no two keys have the same. */
static inline uint64_t
hash_u64(uint64_t key)
{

	key ^= hash_seed[0];
	key ^= key >> 32;
	key *= hash_seed[1];
	key ^= key >> 29;
	key *= hash_seed[2];
	return key ^ key >> 32;
}

/* hash_bytes(p, len): the same of bytes. */
uint64_t hash_bytes(const void *p, size_t len);

/* An item that there was no memory for has hh.tbl NULL after HASH_ADD; uthash
 * would end the process. */
#define HASH_NONFATAL_OOM 1
#define HASH_FUNCTION(p, len, value) ((value) = (unsigned)hash_bytes(p, len))
#include <uthash.h>

/* Frees a table and its items. */
#define HASH_FREE(table) do {						\
	__typeof__(table) item_, next_;					\
	HASH_ITER(hh, table, item_, next_) {				\
		HASH_DEL(table, item_);					\
		free(item_);						\
	}								\
} while (0)

#endif
