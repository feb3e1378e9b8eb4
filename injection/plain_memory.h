/*
 * plain_memory.h: reads the program's memory without touching it. What cannot be read is
 * an error here and no fault: the program may pass a bad pointer to a call, and the call
 * must get it.
 */
#ifndef CADV_PLAIN_MEMORY_H
#define CADV_PLAIN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAIN_MEMORY_PIECES 16	/* most that are read at once */

/* plain_memory_is(from, bytes, work, size): whether the whole range is memory that the
 * process may read and that belongs to no device: to read managed memory would move it
 * to the host. Reads /proc/self/maps through the ${size} bytes at ${work}. */
bool plain_memory_is(uint64_t from, uint64_t bytes, char *work, size_t size);

/* A piece of memory. */
struct plain_piece {
	uint64_t from;
	size_t bytes;
};

/* plain_memory_read(piece, n, into): copy the ${n} pieces, at most PLAIN_MEMORY_PIECES,
 * one after the other to ${into}. 0; -1 if one of them cannot be read. */
int plain_memory_read(const struct plain_piece *piece, size_t n, void *into);

#endif
