/*
 * globals.h: how much memory the variables of a module take, from its cubin.
 */
#ifndef CADV_GLOBALS_H
#define CADV_GLOBALS_H

#include <stddef.h>
#include <stdint.h>

struct globals {
	uint64_t device;	/* bytes of __device__ variables */
	uint64_t managed;	/* bytes of __managed__ variables */
};

/* globals_of(image, size): the sizes for an ELF image of ${size} bytes; zeros if it is
 * not one or is damaged. Never reads outside of the image. */
struct globals globals_of(const void *image, size_t size);

#endif
