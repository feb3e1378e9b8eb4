/*
 * report/reader.h: the interface by which a format reads a run piece by piece,
 * since there may be too much for one document: launches, copies and calls, and the
 * lines of kernels. The daemon reads from the store, the command from a capture.
 */
#ifndef CADV_READER_H
#define CADV_READER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/row.h"
#include "report/document.h"

/* One operation of the GPU, call of the host, or NVTX range. Strings are borrowed
 * during a visit. */
struct operation {
	enum timeline_row row;	/* ROW_COUNT: an NVTX range */
	bool host;		/* a host operation: no device */
	uint32_t device;	/* index into run->device; UINT32_MAX: not defined */
	uint32_t kernel;	/* struct kernel's id; 0: none */
	uint32_t stream;	/* CUDA stream; 0 of a host call */
	uint64_t bytes;		/* of a copy or memset; else 0 */
	const char *call;	/* host call: static text; NULL */
	uint64_t from, to;	/* ns of CLOCK_REALTIME */
	uint64_t process;	/* the stream id of struct process */
	uint32_t thread;	/* that called or launched it; 0: unknown */
	uint64_t launched;	/* when the host launched it; 0: unknown */
	/* For formats; from reader->operations only: */
	bool across;		/* a range that may end on another thread */
	const char *range;	/* its text: any bytes; NULL: no range */
	const char *domain;	/* of a range, also any bytes; NULL: default */
};

/* Called for each operation; returns 0 to go on. */
typedef int operation_visit(void *arg, const struct operation *op);

struct reader {
	void *arg;
	uint64_t origin_ns;	/* CLOCK_REALTIME of the run's start */
	const char *scratch;	/* directory for temporary files */
	/* One of the run's documents, and the source document of a kernel. New
	 * references; NULL: there is none. */
	json_t *(*document)(void *arg, enum document_id which);
	json_t *(*source)(void *arg, uint32_t kernel);
	/* Another document of DOCUMENT_OF_KERNEL or DOCUMENT_OF_FILE, by its
	 * number. A new reference; NULL: there is none. */
	json_t *(*part)(void *arg, enum document_id which, uint32_t number);
	/* Visits every operation in the order of the capture, which is nearly that
	 * of time. -1: the capture cannot be read; else the last visit's result. */
	int (*operations)(void *arg, operation_visit *visit, void *visited);
};

#endif
