/*
 * globals.h: the memory that the variables of a module take, from its cubin.
 */
#ifndef CADV_GLOBALS_H
#define CADV_GLOBALS_H

#include <stddef.h>
#include <stdint.h>

struct globals {
	uint64_t device;	/* bytes of __device__ variables */
	uint64_t managed;	/* of __managed__ ones */
};

/* globals_of(image, size): of an ELF image of ${size} bytes; zeros if it is not
 * one or is damaged. Reads nothing outside of it. */
struct globals globals_of(const void *image, size_t size);

#endif
