/*
 * library.h: CUPTI and libcuda as they are found in or for this process.
 * Nothing links against them: a mock can stand in for both (CUDADVISE_CUPTI and
 * CUDADVISE_LIBCUDA name the files).
 */
#ifndef CADV_LIBRARY_H
#define CADV_LIBRARY_H

#include <stddef.h>

/* library_present(): major of the CUPTI that the process has loaded, or that
 * CUDADVISE_CUPTI names; 0: there is none yet. */
unsigned library_present(void);

/* library_driver(): what libcuda serves (cuDriverGetVersion: 12040), or where
 * it is not loaded yet what the kernel driver's branch does; 0: unknown. */
int library_driver(void);

/* library_cupti(major, path, size): open the CUPTI that is present, else the
 * best one of that major. NULL: none. It stays open. */
void *library_cupti(unsigned major, char *path, size_t size);

/* library_cuda(): libcuda, which is in the process already; or NULL. */
void *library_cuda(void);

#endif
