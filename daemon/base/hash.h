/*
 * base/hash.h: hashes with a random seed per process, so that no choice of ids or names
 * in the input can make a table slow; includes uthash. Not for values that are stored,
 * or that decide what is found: the next process has another seed. Any thread.
 */
#ifndef CADV_HASH_H
#define CADV_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Set before main() by hash.c. */
extern uint64_t hash_seed[3];

/* hash_u64(key): mixed in all bits; different keys have different hashes. */
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

/* hash_bytes(p, len): a hash of ${len} bytes. */
uint64_t hash_bytes(const void *p, size_t len);

/* hash_text(text): a hash that is the same in every process, for tables that forget: what
 * they find depends on it. */
uint64_t hash_text(const char *text);

/* If memory is lacking, uthash would end the process by default. Here HASH_ADD leaves
 * hh.tbl of the item NULL instead. */
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
