/*
 * rules/evidence/strides.h: do a kernel's threads share a loop that more
 * threads could share? A loop that steps by the size of the grid is correct
 * with any number of blocks; one that steps by the size of the block has
 * independent iterations, if nothing in the kernel waits for the block. Pure.
 */
#ifndef CADV_STRIDES_H
#define CADV_STRIDES_H

#include <stdbool.h>

struct code;

/* strides_shared(c): is there such a loop? False if ${c}, which may be NULL,
 * was not disassembled. */
bool strides_shared(const struct code *c);

/* strides_once(c): does every loop step by the size of the grid, and is none
 * inside another? Then no thread visits an element twice. */
bool strides_once(const struct code *c);

#endif
