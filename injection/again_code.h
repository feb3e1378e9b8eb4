/*
 * again_code.h: may the code of a kernel run a second time, as far as the code
 * can tell? Reads a cubin's instructions; pure, and trusts no byte of it.
 *
 * A kernel waits for another thread by reading the same memory again until it
 * has changed. Only a strong load (volatile, relaxed, acquire), an atomic that
 * returns a value, or a plain load behind a fence reads again: plain loads are
 * taken out of such a loop by ptxas, as seen with that of CUDA 13.0. So code
 * waits only if a loop contains one of these. Loops within shared memory are
 * fine: they end whoever runs beside the block.
 */
#ifndef CADV_AGAIN_CODE_H
#define CADV_AGAIN_CODE_H

#include <stdbool.h>
#include <stddef.h>

enum again_code {
	AGAIN_CODE_CLOSED,	/* it waits for nobody and writes memory only */
	AGAIN_CODE_WAITS,	/* it may wait for another thread */
	AGAIN_CODE_OUTSIDE,	/* it may do more than read and write allocated
				 * memory: print, allocate, launch, write
				 * variables of the module or surfaces */
	AGAIN_CODE_UNKNOWN	/* damaged, of an architecture that was not
				 * looked at, or without this kernel */
};

/* again_code(image, size, kernel): of ${kernel} (mangled) in an ELF image of
 * ${size} bytes. */
enum again_code again_code(const void *image, size_t size,
    const char *kernel);

/* again_code_keeps(image, size): can kernels of this image leave pointers to
 * memory that no call of the host allocates: from malloc on the device, or
 * variables without a value of their own? Also where it is damaged. */
bool again_code_keeps(const void *image, size_t size);

#endif
