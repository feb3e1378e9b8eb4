/*
 * facts/warp.h: sizes that are the same on all GPUs since compute capability 7.5.
 */
#ifndef CADV_WARP_H
#define CADV_WARP_H

#define WARP 32		/* lanes of a warp */
#define WORD 4		/* bytes of a register */
#define SECTOR 32	/* bytes: the unit in which caches and DRAM are read and
			 * written */
#define BANK 4		/* bytes of shared memory that a bank delivers at a time */

#endif
