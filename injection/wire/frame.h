/*
 * wire/frame.h: the outer layer of the protocol (PROTOCOL.md, section 2).
 *
 * A frame is a batch of records of one stream with a checksummed header. The
 * socket, spool files and capture files have the same frames; in files the
 * payload may be zstd-compressed. Everything here is pure over a buffer: no
 * I/O, no allocation, no globals.
 */
#ifndef CADV_WIRE_FRAME_H
#define CADV_WIRE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define FRAME_MAGIC 0x46444143u		/* "CADF", little-endian */
#define FRAME_VERSION 1u
#define FRAME_HEADER_SIZE 48u
#ifndef FRAME_MAX_PAYLOAD		/* fuzzers have less, to be fast */
#define FRAME_MAX_PAYLOAD (4u << 20)	/* stored or raw, bytes */
#endif
#define FRAME_ZSTD 1u			/* flag: the payload is compressed */
#define FRAME_KNOWN_FLAGS FRAME_ZSTD

struct frame_header {
	uint16_t version;	/* FRAME_VERSION of the writer */
	uint16_t flags;		/* FRAME_ZSTD */
	uint32_t stored;	/* payload bytes that follow the header */
	uint32_t raw;		/* payload bytes once decompressed */
	uint64_t stream;	/* the writer: one number per process and run */
	uint64_t sequence;	/* of the first record, counting from 0 */
	uint32_t records;	/* in the payload */
	uint64_t checksum;	/* XXH64 of the stored payload, seeded by
				 * XXH64 of header bytes 0..39 */
};

enum frame_status {
	FRAME_OK = 0,
	FRAME_SHORT,		/* the buffer ends inside the frame */
	FRAME_NOT_MAGIC,	/* not a frame */
	FRAME_TOO_NEW,		/* written by a newer major version */
	FRAME_TOO_BIG,		/* a length over FRAME_MAX_PAYLOAD */
	FRAME_CORRUPT,		/* the checksum, flags or counts are wrong */
};

/*
 * frame_peek(buf, len, h): read and check the header at ${buf} into ${h}
 * without touching the payload. FRAME_SHORT if fewer than FRAME_HEADER_SIZE
 * bytes are there.
 */
enum frame_status frame_peek(const uint8_t *buf, size_t len,
    struct frame_header *h);

/*
 * frame_check(buf, len, h): frame_peek, and check that the payload is complete and
 * matches its checksum. On FRAME_OK the payload is at ${buf} + FRAME_HEADER_SIZE,
 * ${h}->stored bytes.
 */
enum frame_status frame_check(const uint8_t *buf, size_t len,
    struct frame_header *h);

/*
 * frame_seal(buf, h): write ${h} before the ${h}->stored payload bytes that are
 * already at ${buf} + FRAME_HEADER_SIZE, computing the checksum. The version is
 * set to FRAME_VERSION.
 */
void frame_seal(uint8_t *buf, struct frame_header *h);

/*
 * frame_resync(buf, len): offset of the next magic number at or after ${buf}, where a
 * frame may begin; ${len} if there is none. Readers go on there after a damaged frame.
 */
size_t frame_resync(const uint8_t *buf, size_t len);

/* frame_status_text(s): a short English phrase for an error message. */
const char *frame_status_text(enum frame_status s);

#endif
