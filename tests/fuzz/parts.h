/*
 * fuzz/parts.h: shared by the fuzzers: makes inputs into frames with valid checksums,
 * which no mutation would find, and provides a service in a directory of its own.
 */
#ifndef CADV_FUZZ_PARTS_H
#define CADV_FUZZ_PARTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct model;
struct service;

#define PARTS_RUN "0123456789abcdef0123456789abcdef"
#define PARTS_T0 1700000000000000000u

/* Ends the fuzzer if ${holds} is false. */
#define WANT(holds) do {						\
	if (!(holds)) {							\
		fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #holds); \
		abort();						\
	}								\
} while (0)

/* --- inputs ------------------------------------------------------------------ */

struct input {
	const uint8_t *p;
	size_t len;
};

/* Take a number from the front of the input; 0 if nothing is left. */
uint8_t input_u8(struct input *in);
uint16_t input_u16(struct input *in);
uint64_t input_u64(struct input *in);
/* Take up to ${n} bytes: a view, not a copy. */
struct input input_bytes(struct input *in, size_t n);
/* Take up to ${cap} - 1 bytes as a string; NUL bytes become 'x'. */
void input_text(struct input *in, char *out, size_t cap, size_t n);

/*
 * A chunk is { u8 stream, u8 step, u16 length, records }; step % 4 == 3 leaves
 * a gap in the sequence numbers. input_frames makes one frame of each chunk of
 * the rest of the input, and returns the number of bytes written to ${out}.
 */
size_t input_frames(struct input *in, uint8_t *out, size_t cap);

/* The records of a short run of one process, in ${out}. */
size_t parts_short_run(uint8_t *out, size_t cap);

/* --- places ------------------------------------------------------------------- */

/* parts_directory(): a directory in memory; removed when the process exits. */
const char *parts_directory(void);
/* parts_file(path, p, len): write these bytes to a file. */
void parts_file(const char *path, const void *p, size_t len);
void parts_remove(const char *path);	/* and everything in it */

/* parts_service(): the one service, in parts_directory(), without a socket; its first jobs
 * are done. parts_service_alone(): the same, without its thread that listens. */
struct service *parts_service(void);
struct service *parts_service_alone(void);

/* parts_check_page(text, len): nothing in the text may harm a terminal. */
void parts_check_page(const char *text, size_t len);

#endif
