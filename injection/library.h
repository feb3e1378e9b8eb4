/*
 * library.h: finds CUPTI and libcuda for this process. Nothing links against
 * them: a mock can replace both (CUDADVISE_CUPTI and CUDADVISE_LIBCUDA name the
 * files).
 */
#ifndef CADV_LIBRARY_H
#define CADV_LIBRARY_H

#include <stddef.h>

/* library_present(): major version of the CUPTI that the process has loaded, or
 * that CUDADVISE_CUPTI names; 0: none yet. */
unsigned library_present(void);

/* library_driver(): the CUDA version that libcuda supports (cuDriverGetVersion:
 * 12040), or where it is not loaded yet that of the kernel driver's branch; 0:
 * unknown. */
int library_driver(void);

/* library_cupti(major, path, size): open the CUPTI that is present, else the
 * best one of that major; its file in ${path}. NULL: none. It stays open. */
void *library_cupti(unsigned major, char *path, size_t size);

/* library_cuda(): libcuda, if the process has loaded it; or NULL. */
void *library_cuda(void);

#endif
