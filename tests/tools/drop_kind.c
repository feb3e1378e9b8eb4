/*
 * drop_kind.c: `drop_kind KIND FILE NEW`: rewrites a capture as a version of
 * the writer that lacks this kind of record would have written it. Every record
 * of the kind becomes one of an unknown type, filled with zeroes; everything
 * else, sequence numbers too, stays. BYTES records are other people's code and
 * sources: without them a capture can be published, and is small. `drop_kind
 * FILE` prints the kinds that FILE has, `drop_kind` those of the table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "wire/frame.h"
#include "wire/le.h"
#include "wire/record.h"

#define UNKNOWN 0xfffeu

static const struct kind {
	const char *name;
	uint16_t type;
} kinds[] = {
#define RECORD(name, number, doc, fields) { #name, number },
#include "wire/record.def"
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static uint8_t frame[FRAME_HEADER_SIZE + FRAME_MAX_PAYLOAD];
static unsigned long seen[KINDS];

static void
die(const char *what)
{

	fprintf(stderr, "drop_kind: %s\n", what);
	exit(1);
}

/* Uncompress the payload at ${from} to frame[], after the header. */
static size_t
unpack(const uint8_t *from, const struct frame_header *h)
{
	size_t len = h->stored;

	if (!(h->flags & FRAME_ZSTD))
		memcpy(frame + FRAME_HEADER_SIZE, from, len);
	else
		len = ZSTD_decompress(frame + FRAME_HEADER_SIZE,
		    FRAME_MAX_PAYLOAD, from, len);
	if (ZSTD_isError(len))
		die("a frame cannot be unpacked");
	return len;
}

/* Count the kinds of frame[], and drop records of the type ${drop}. */
static void
walk(size_t len, uint16_t drop)
{
	uint8_t *payload = frame + FRAME_HEADER_SIZE;
	size_t pos = 0, at = 0, i;
	struct record r;

	for (; record_next(payload, len, &pos, &r) == 1; at = pos) {
		for (i = 0; i < KINDS; i++)
			seen[i] += kinds[i].type == r.type;
		if (r.type != drop)
			continue;
		le16_put(payload + at, UNKNOWN);
		memset(payload + at + RECORD_HEADER_SIZE, 0,
		    pos - at - RECORD_HEADER_SIZE);
	}
}

/* Write frame[], as small as it compresses. */
static void
put(struct frame_header *h, size_t len, FILE *out)
{
	static uint8_t packed[FRAME_HEADER_SIZE + FRAME_MAX_PAYLOAD];
	uint8_t *from = frame;
	size_t n = ZSTD_compress(packed + FRAME_HEADER_SIZE, FRAME_MAX_PAYLOAD,
	    frame + FRAME_HEADER_SIZE, len, 19);

	h->flags &= (uint16_t)~FRAME_ZSTD;
	h->stored = h->raw = (uint32_t)len;
	if (!ZSTD_isError(n) && n < len) {
		h->flags |= FRAME_ZSTD;
		h->stored = (uint32_t)n;
		from = packed;
	}
	frame_seal(from, h);
	if (fwrite(from, 1, FRAME_HEADER_SIZE + h->stored, out) !=
	    FRAME_HEADER_SIZE + h->stored)
		die("cannot write");
}

static void
rewrite(const uint8_t *buf, size_t size, uint16_t drop, FILE *out)
{
	struct frame_header h;
	size_t at, len;

	for (at = 0; at < size; at += FRAME_HEADER_SIZE + h.stored) {
		if (frame_check(buf + at, size - at, &h) != FRAME_OK)
			die("the file is damaged");
		len = unpack(buf + at + FRAME_HEADER_SIZE, &h);
		walk(len, drop);
		if (out == NULL)
			continue;
		put(&h, len, out);
		frame_check(buf + at, size - at, &h);
	}
}

static uint8_t *
read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *buf;
	long end;

	if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (end = ftell(f)) < 0)
		die("cannot open the file");
	rewind(f);
	*size = (size_t)end;
	if ((buf = malloc(*size + 1)) == NULL ||
	    fread(buf, 1, *size, f) != *size)
		die("cannot read the file");
	fclose(f);
	return buf;
}

static uint16_t
type_of(const char *name)
{
	size_t i;

	for (i = 0; i < KINDS; i++)
		if (strcmp(kinds[i].name, name) == 0)
			return kinds[i].type;
	die("no such kind of record");
	return 0;
}

int
main(int argc, char *argv[])
{
	FILE *out = NULL;
	uint8_t *buf;
	size_t size, i;

	if (argc != 1 && argc != 2 && argc != 4)
		die("usage: drop_kind [[KIND] FILE [NEW]]");
	if (argc == 4 && (out = fopen(argv[3], "wb")) == NULL)
		die("cannot make the new file");
	if (argc > 1) {
		buf = read_file(argv[argc == 4 ? 2 : 1], &size);
		rewrite(buf, size, argc == 4 ? type_of(argv[1]) : 0, out);
		free(buf);
	}
	if (out != NULL && fclose(out) != 0)
		die("cannot write");
	for (i = 0; argc < 4 && i < KINDS; i++)
		if (argc == 1 || seen[i] > 0)
			printf("%s\n", kinds[i].name);
	return 0;
}
