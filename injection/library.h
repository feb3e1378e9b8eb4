/*
 * library.h: finds CUPTI and libcuda for this process. Nothing links against them, so a
 * mock can replace both (CUDADVISE_CUPTI and CUDADVISE_LIBCUDA name the files).
 */
#ifndef CADV_LIBRARY_H
#define CADV_LIBRARY_H

#include <stddef.h>

/* library_present(): the major version of the CUPTI that CUDADVISE_CUPTI names, or else
 * that the process has loaded; 0: neither. */
unsigned library_present(void);

/* library_driver(): the CUDA version that libcuda supports (cuDriverGetVersion: 12040);
 * if libcuda is not loaded yet, that of the kernel driver's branch; 0: unknown. */
int library_driver(void);

/* library_cupti(major, path, size): open the CUPTI that is present (library_present),
 * else the best one of that major; its file name goes to ${path}. NULL: there is none.
 * It is never closed. */
void *library_cupti(unsigned major, char *path, size_t size);

/* library_cuda(): libcuda if the process has loaded it, else NULL. */
void *library_cuda(void);

#endif
