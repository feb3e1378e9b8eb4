/*
 * tools/writer.h: writes frames of invented streams, and the parts of the
 * invented run of make_capture. A failed write ends the program.
 */
#ifndef CADV_TEST_WRITER_H
#define CADV_TEST_WRITER_H

#include <stdint.h>
#include <stdio.h>

#include "model/model.h"
#include "wire/frame.h"
#include "wire/record.h"

#define T0 1790000000000000000ull	/* CLOCK_REALTIME of the start, ns */
#define US 1000ull
#define MS 1000000ull
#define TARGET 0x2222222222222222ull	/* the stream of the program */
#define DAEMON 0x3333333333333333ull	/* the daemon's own stream */

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct writer {			/* frames of one stream */
	FILE *file;
	uint64_t stream, sequence;
	uint8_t *frame;		/* header, then records so far */
	size_t used;		/* bytes of payload */
	uint32_t records;
};

void die(const char *what);
void writer_flush(struct writer *w);
void writer_add(struct writer *w, size_t n);

#define PUT(w, name, ...) do {						\
	struct record_##name r_ = { __VA_ARGS__ };			\
	writer_add((w), record_put_##name((w)->frame +			\
	    FRAME_HEADER_SIZE + (w)->used, FRAME_MAX_PAYLOAD - (w)->used, \
	    &r_));							\
} while (0)

#define STR(text) wire_str_of(text)

/* Kernels with a role of their own; the others are all alike. */
enum { SOFTMAX = 1, GEMM, HOSTILE, FEW, SMALL };

/* make_source.c: the source tier's records of SOFTMAX and GEMM, and the
 * disassembly of the first, which the daemon adds. */
void put_source(struct writer *w);
void put_disassembly(struct writer *w);

#endif
