/*
 * sanitizer/place.h: parses the source places that reports name. Pure over a piece of
 * text; the results point into it.
 *
 * Device code, in the forms that the tools have used over the years:
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

/* Strings are empty and numbers 0 where the text does not tell them. */
struct sanitizer_place {
	struct wire_str function, file;
	uint32_t line;
	struct wire_str object;		/* of a host frame: the object file */
	struct wire_str clone;		/* the kernel that ${function} was cloned for */
};

/* place_device(s): the text after "at ". */
struct sanitizer_place place_device(struct wire_str s);

/* place_device_frame(s): the text after "Device Frame:". */
struct sanitizer_place place_device_frame(struct wire_str s);

/* place_host(s): the text after "Host Frame:". */
struct sanitizer_place place_host(struct wire_str s);

/* place_is_runtime(p, kernel): whether host frame ${p} belongs to the driver, the CUDA
 * runtime or the C library's start of main, or is the host stub that nvcc makes for
 * ${kernel}, so that the launch is in the frame above. */
bool place_is_runtime(const struct sanitizer_place *p, struct wire_str kernel);

#endif
