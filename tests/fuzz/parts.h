/*
 * fuzz/parts.h: what fuzzers share: inputs that become frames with valid
 * checksums, which no mutation finds, and a service in a directory of its own.
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

/* What must hold. */
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

/* Take from its front; 0 where there is nothing left. */
uint8_t input_u8(struct input *in);
uint16_t input_u16(struct input *in);
uint64_t input_u64(struct input *in);
/* Up to ${n} bytes: a view. */
struct input input_bytes(struct input *in, size_t n);
/* Up to ${cap} - 1 bytes as a string; NUL bytes become 'x'. */
void input_text(struct input *in, char *out, size_t cap, size_t n);

/*
 * A chunk is { u8 stream, u8 step, u16 length, records }; step % 4 == 3 leaves
 * a gap in the sequence. input_frames seals what follows into frames, one a
 * chunk, and returns how many bytes of ${out} they are.
 */
size_t input_frames(struct input *in, uint8_t *out, size_t cap);

/* The records of a short run of one process, in ${out}. */
size_t parts_short_run(uint8_t *out, size_t cap);

/* --- places ------------------------------------------------------------------- */

/* parts_directory(): a directory in memory; removed when the process exits. */
const char *parts_directory(void);
/* parts_file(path, p, len): write it there. */
void parts_file(const char *path, const void *p, size_t len);
void parts_remove(const char *path);	/* with everything in it */

/* parts_service(): the one service, in parts_directory(), without a socket.
 * parts_service_alone: and nobody but the caller works in it. */
struct service *parts_service(void);
struct service *parts_service_alone(void);

/* parts_check_page(text, len, width): nothing in it harms a terminal. */
void parts_check_page(const char *text, size_t len);

#endif
