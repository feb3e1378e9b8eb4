/*
 * report/reader.h: what a format reads of a run piece by piece, because there may be
 * too much of it for one document: its launches, copies and calls, and the lines of
 * its kernels. The daemon reads it from the store, the command from a capture.
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
	bool host;		/* of the host: no device */
	uint32_t device;	/* index into run->device; UINT32_MAX: not defined */
	uint32_t kernel;	/* struct kernel's id; 0: none */
	uint32_t stream;	/* CUDA stream; 0 of a host call */
	uint64_t bytes;		/* of a copy or memset */
	const char *call;	/* of the host: static text; NULL */
	uint64_t from, to;	/* ns of CLOCK_REALTIME */
	uint64_t process;	/* the stream of struct process */
	uint32_t thread;	/* that called, or launched it; 0: unknown */
	uint64_t launched;	/* when the host launched it; 0: unknown */
	/* For formats; from reader->operations only: */
	bool across;		/* a range that need not end where it began */
	const char *range;	/* its text: any bytes; NULL: no range */
	const char *domain;	/* of a range, likewise; NULL: the default one */
};

/* A visit returns 0 to go on. */
typedef int operation_visit(void *arg, const struct operation *op);

struct reader {
	void *arg;
	uint64_t origin_ns;	/* CLOCK_REALTIME of the run's start */
	const char *scratch;	/* directory for files that are deleted again */
	/* One of the run's documents, and the source document of a kernel. New
	 * references; NULL: there is none. */
	json_t *(*document)(void *arg, enum document_id which);
	json_t *(*source)(void *arg, uint32_t kernel);
	/* Another document of DOCUMENT_OF_KERNEL or DOCUMENT_OF_FILE, by its number,
	 * likewise. */
	json_t *(*part)(void *arg, enum document_id which, uint32_t number);
	/* Every operation, in the order of the capture, which is nearly that of
	 * time. -1: the capture cannot be read; else what the last visit
	 * returned. */
	int (*operations)(void *arg, operation_visit *visit, void *visited);
};

#endif
