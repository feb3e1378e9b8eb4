/* capture/operation.h: records of a capture as operations (report/reader.h). */
#ifndef CADV_CAPTURE_OPERATION_H
#define CADV_CAPTURE_OPERATION_H

#include "capture/capture.h"
#include "report/reader.h"

/* capture_operation(x, stream, r, op): false if ${r} is on no row of a timeline.
 * ${x} has its kernels and devices; ${stream} is that of the capture. */
bool capture_operation(const struct capture_index *x, uint64_t stream,
    const struct record *r, struct operation *op);

/* capture_operations(path, x, visit, arg, e): every operation and NVTX range of the
 * capture ${path}, of the frames of ${x}. Holds the texts of ranges in memory,
 * bounded, and nothing else. What the last visit returned; -1 with ${e} set. */
int capture_operations(const char *path, const struct capture_index *x,
    operation_visit *visit, void *arg, struct error *e);

#endif
