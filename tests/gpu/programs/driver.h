/* driver.h: check.h for programs that call the driver. */
#ifndef DRIVER_H
#define DRIVER_H

#include <cuda.h>

#include "check.h"

#define DRIVER(call) do {						\
	CUresult driver_ = (call);					\
	const char *name_ = "unknown";					\
	if (driver_ != CUDA_SUCCESS) {					\
		(void)cuGetErrorName(driver_, &name_);			\
		fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__,	\
		    #call, name_);					\
		exit(1);						\
	}								\
} while (0)

#endif
