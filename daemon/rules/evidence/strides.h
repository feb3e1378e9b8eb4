/*
 * rules/evidence/strides.h: do a kernel's threads share a loop that more of them could share?
 * A loop that steps by the size of the grid is right with any number of blocks; one
 * that steps by the size of the block has turns that no other turn waits for, if
 * nothing in the kernel waits for the block. Pure.
 */
#ifndef CADV_STRIDES_H
#define CADV_STRIDES_H

#include <stdbool.h>

struct code;

/* strides_shared(c): is there such a loop? False where ${c}, which may be NULL, was
 * not disassembled. */
bool strides_shared(const struct code *c);

/* strides_once(c): is every loop one that steps by the size of the grid, and none in
 * another? Then no thread comes twice to one element. */
bool strides_once(const struct code *c);

#endif
