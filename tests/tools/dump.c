/*
 * dump.c: print a capture or spool file record by record, by the protocol's
 * table: `dump FILE [TYPE…]`. A tool for people who work on cudadvise.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "wire/frame.h"
#include "wire/le.h"
#include "wire/record.h"

#define U8(n) printf(" " #n "=%u", (unsigned)r->n);
#define U16(n) printf(" " #n "=%u", (unsigned)r->n);
#define U32(n) printf(" " #n "=%u", (unsigned)r->n);
#define U64(n) printf(" " #n "=%llu", (unsigned long long)r->n);
#define F64(n) printf(" " #n "=%g", r->n);
#define STR(n) printf(" " #n "='%.*s'", (int)r->n.len, r->n.p);
#define BLOB(n) print_blob(record, #n, r->n);
#define RECORD(name, number, doc, fields)				\
	static void							\
	print_##name(const struct record_##name *r)			\
	{								\
		static const char record[] = #name;			\
									\
		printf("%s", record);					\
		fields							\
		printf("\n");						\
	}

/* COUNTERS: n x { u32 metric, u32 0, f64 }. */
static void
print_counters(struct wire_blob b)
{
	uint64_t bits;
	double v;
	uint32_t i;

	for (i = 0; i + 16 <= b.len; i += 16) {
		bits = le64_get(b.p + i + 8);
		memcpy(&v, &bits, sizeof(v));
		printf(" [%u]=%.17g", le32_get(b.p + i), v);
	}
}

/* INSTRUCTIONS: n x { u32 pc, u32 metric, u64 }. */
static void
print_instructions(struct wire_blob b)
{
	uint32_t i;

	for (i = 0; i + 16 <= b.len; i += 16)
		printf(" %04x[%u]=%llu", le32_get(b.p + i),
		    le32_get(b.p + i + 4),
		    (unsigned long long)le64_get(b.p + i + 8));
}

/* SAMPLES: n x { u32 pc, u32 stall, u32 n }. */
static void
print_samples(struct wire_blob b)
{
	uint32_t i;

	for (i = 0; i + 12 <= b.len; i += 12)
		printf(" %04x[%u]=%u", le32_get(b.p + i),
		    le32_get(b.p + i + 4), le32_get(b.p + i + 8));
}

static void
print_blob(const char *record, const char *field, struct wire_blob b)
{
	uint32_t i;

	if (strcmp(record, "COUNTERS") == 0)
		print_counters(b);
	else if (strcmp(record, "INSTRUCTIONS") == 0)
		print_instructions(b);
	else if (strcmp(record, "SAMPLES") == 0)
		print_samples(b);
	else if (strcmp(field, "text") == 0 || strcmp(field, "json") == 0)
		printf(" %s='%.*s'", field, (int)b.len, (const char *)b.p);
	else if (strcmp(field, "frames") == 0)
		for (i = 0; i + 8 <= b.len; i += 8)
			printf(" %llx", (unsigned long long)le64_get(b.p + i));
	else
		printf(" %s=%u bytes", field, b.len);
}

#include "wire/record.def"

static int
wanted(const char *name, int argc, char *argv[])
{
	int i;

	for (i = 2; i < argc; i++)
		if (name != NULL && strcmp(name, argv[i]) == 0)
			return 1;
	return argc == 2;
}

static void
print_record(const struct record *r)
{

	switch (r->type) {
#define RECORD(name, number, doc, fields)				\
	case number:							\
		print_##name(&r->u.name);				\
		break;
#include "wire/record.def"
	default:
		printf("(type %u)\n", r->type);
	}
}

int
main(int argc, char *argv[])
{
	static uint8_t raw[FRAME_MAX_PAYLOAD];
	unsigned long count[65536] = { 0 };
	struct frame_header h;
	struct record r;
	uint8_t *buf;
	size_t len, pos, at = 0;
	FILE *f;
	long size;
	int i;

	if (argc < 2 || (f = fopen(argv[1], "rb")) == NULL) {
		fprintf(stderr, "usage: dump FILE [TYPE...]\n");
		return 2;
	}
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	if (size < 0 || (buf = malloc((size_t)size + 1)) == NULL ||
	    fread(buf, 1, (size_t)size, f) != (size_t)size) {
		fprintf(stderr, "dump: cannot read %s\n", argv[1]);
		return 1;
	}
	fclose(f);
	while (at < (size_t)size) {
		enum frame_status s = frame_check(buf + at, (size_t)size - at,
		    &h);
		const uint8_t *payload = buf + at + FRAME_HEADER_SIZE;

		if (s != FRAME_OK) {
			fprintf(stderr, "dump: at byte %zu: %s\n", at,
			    frame_status_text(s));
			return 1;
		}
		len = h.stored;
		if (h.flags & FRAME_ZSTD) {
			len = ZSTD_decompress(raw, sizeof(raw), payload,
			    h.stored);
			if (ZSTD_isError(len))
				return 1;
			payload = raw;
		}
		for (pos = 0; record_next(payload, len, &pos, &r) == 1;) {
			count[r.type]++;
			if (wanted(record_name(r.type), argc, argv))
				print_record(&r);
		}
		at += FRAME_HEADER_SIZE + h.stored;
	}
	free(buf);
	for (i = 0; i < 65536; i++)
		if (count[i] > 0)
			fprintf(stderr, "%8lu %s\n", count[i],
			    record_name((uint16_t)i) != NULL ?
			    record_name((uint16_t)i) : "?");
	return 0;
}
