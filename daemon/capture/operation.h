/* capture/operation.h: the operations (report/reader.h) of a capture. */
#ifndef CADV_CAPTURE_OPERATION_H
#define CADV_CAPTURE_OPERATION_H

#include "capture/capture.h"
#include "report/reader.h"

/* capture_operation(x, stream, r, op): fill ${op} from record ${r} of the process with
 * ${stream}. False if no row of a timeline shows such a record, or its kernel or its
 * time is unknown. ${x} must have its kernels (capture_index_kernels). */
bool capture_operation(const struct capture_index *x, uint64_t stream,
    const struct record *r, struct operation *op);

/* capture_operations(path, x, visit, arg, e): call ${visit} for every operation and
 * NVTX range of the capture ${path} with index ${x}, until it returns non-zero. Holds
 * the texts of ranges in memory (at most 64 MiB), and nothing else. Returns what the
 * last visit returned; -1 with ${e} set. */
int capture_operations(const char *path, const struct capture_index *x,
    operation_visit *visit, void *arg, struct error *e);

#endif
