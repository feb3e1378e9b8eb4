/*
 * facts/warp.h: the sizes that all GPUs since compute capability 7.5 have in common.
 */
#ifndef CADV_WARP_H
#define CADV_WARP_H

#define WARP 32		/* lanes of a warp */
#define WORD 4		/* bytes of a register */
#define SECTOR 32	/* bytes: what caches and memory are read and written by */
#define BANK 4		/* bytes of shared memory that a bank gives at a time */

#endif
