/*
 * sanitizer/place.h: the places that reports name. Pure over a piece of text.
 *
 * Device code, as the tools have written it over the years:
 *
 *	0x00000170 in ./race.cu:4:test(int*, int*)	2020 to 2022
 *	0x20 in test(int*, int*)			without a line table
 *	kernel(int *)+0x100 in demo.cu:34		from 2023 on
 *	kernel():0x160 in demo.cu:6			in the manual
 *	[clone kernel(int *)] helper()+0x11f0 in demo.cu:42
 *	0x79d8
 *
 * Host code:
 *
 *	main in demo.cu:25 [0x8a81] in demo
 *	main [0x14548]			and on a line of its own "in /home/demo"
 *	/lib64/libcuda.so.1 (cuLaunchKernel + 0x346) [0x297db6]
 */
#ifndef CADV_SANITIZER_PLACE_H
#define CADV_SANITIZER_PLACE_H

#include <stdbool.h>

#include "wire/record.h"

/* Empty and 0 where nothing is known. */
struct sanitizer_place {
	struct wire_str function, file;
	uint32_t line;
	struct wire_str object;		/* of a host frame: its file */
	struct wire_str clone;		/* the kernel it is a clone of */
};

/* place_device: what stands behind "at ". */
struct sanitizer_place place_device(struct wire_str s);

/* place_device_frame: what stands behind "Device Frame:". */
struct sanitizer_place place_device_frame(struct wire_str s);

/* place_host: what stands behind "Host Frame:". */
struct sanitizer_place place_host(struct wire_str s);

/* place_is_runtime(p, kernel): is a host frame the driver's, the runtime's, the C
 * library's that called main, or the function that nvcc makes for ${kernel}, which
 * is launched there? */
bool place_is_runtime(const struct sanitizer_place *p, struct wire_str kernel);

#endif
