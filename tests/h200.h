/*
 * h200.h: the limits of an H200 that decide how many blocks fit, for the device
 * records that tests make.
 */
#ifndef CADV_TESTS_H200_H
#define CADV_TESTS_H200_H

/* Members of struct record_DEVICE. */
#define H200_LIMITS							\
	.cc_major = 9, .sms = 132,					\
	.max_threads_per_sm = 2048, .max_threads_per_block = 1024,	\
	.max_blocks_per_sm = 32, .max_warps_per_sm = 64, .warp_size = 32, \
	.regs_per_sm = 65536, .regs_per_block = 65536,			\
	.smem_per_sm = 233472, .smem_per_block = 49152,			\
	.smem_per_block_optin = 232448, .smem_reserved = 1024

#endif
