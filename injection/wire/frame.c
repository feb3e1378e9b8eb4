#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "wire/le.h"

#include "wire/frame.h"

/* Byte offsets of the header fields; PROTOCOL.md section 2 is the contract. */
enum {
	OFF_MAGIC = 0,
	OFF_VERSION = 4,
	OFF_FLAGS = 6,
	OFF_STORED = 8,
	OFF_RAW = 12,
	OFF_STREAM = 16,
	OFF_SEQUENCE = 24,
	OFF_RECORDS = 32,
	OFF_RESERVED = 36,
	OFF_CHECKSUM = 40,
};

static uint64_t
checksum(const uint8_t *buf, size_t stored)
{

	return XXH64(buf + FRAME_HEADER_SIZE, stored,
	    XXH64(buf, OFF_CHECKSUM, 0));
}

enum frame_status
frame_peek(const uint8_t *buf, size_t len, struct frame_header *h)
{

	if (len < FRAME_HEADER_SIZE)
		return FRAME_SHORT;
	if (le32_get(buf + OFF_MAGIC) != FRAME_MAGIC)
		return FRAME_NOT_MAGIC;
	h->version = le16_get(buf + OFF_VERSION);
	h->flags = le16_get(buf + OFF_FLAGS);
	h->stored = le32_get(buf + OFF_STORED);
	h->raw = le32_get(buf + OFF_RAW);
	h->stream = le64_get(buf + OFF_STREAM);
	h->sequence = le64_get(buf + OFF_SEQUENCE);
	h->records = le32_get(buf + OFF_RECORDS);
	h->checksum = le64_get(buf + OFF_CHECKSUM);
	if (h->version > FRAME_VERSION)
		return FRAME_TOO_NEW;
	if (h->stored > FRAME_MAX_PAYLOAD || h->raw > FRAME_MAX_PAYLOAD)
		return FRAME_TOO_BIG;
	if (h->version == 0 || (h->flags & ~FRAME_KNOWN_FLAGS) ||
	    (!(h->flags & FRAME_ZSTD) && h->raw != h->stored) ||
	    h->records > h->raw / 8)
		return FRAME_CORRUPT;
	return FRAME_OK;
}

enum frame_status
frame_check(const uint8_t *buf, size_t len, struct frame_header *h)
{
	enum frame_status s;

	if ((s = frame_peek(buf, len, h)) != FRAME_OK)
		return s;
	if (len - FRAME_HEADER_SIZE < h->stored)
		return FRAME_SHORT;
	if (checksum(buf, h->stored) != h->checksum)
		return FRAME_CORRUPT;
	return FRAME_OK;
}

void
frame_seal(uint8_t *buf, struct frame_header *h)
{

	h->version = FRAME_VERSION;
	le32_put(buf + OFF_MAGIC, FRAME_MAGIC);
	le16_put(buf + OFF_VERSION, h->version);
	le16_put(buf + OFF_FLAGS, h->flags);
	le32_put(buf + OFF_STORED, h->stored);
	le32_put(buf + OFF_RAW, h->raw);
	le64_put(buf + OFF_STREAM, h->stream);
	le64_put(buf + OFF_SEQUENCE, h->sequence);
	le32_put(buf + OFF_RECORDS, h->records);
	le32_put(buf + OFF_RESERVED, 0);
	h->checksum = checksum(buf, h->stored);
	le64_put(buf + OFF_CHECKSUM, h->checksum);
}

size_t
frame_resync(const uint8_t *buf, size_t len)
{
	uint8_t magic[4];
	size_t i;

	le32_put(magic, FRAME_MAGIC);
	for (i = 0; i + sizeof(magic) <= len; i++)
		if (memcmp(buf + i, magic, sizeof(magic)) == 0)
			return i;
	return len;
}

const char *
frame_status_text(enum frame_status s)
{

	switch (s) {
	case FRAME_OK:
		return "ok";
	case FRAME_SHORT:
		return "ends inside a frame (truncated)";
	case FRAME_NOT_MAGIC:
		return "is not a cudadvise capture";
	case FRAME_TOO_NEW:
		return "was written by a newer version of cudadvise";
	case FRAME_TOO_BIG:
		return "claims a frame larger than the protocol allows";
	case FRAME_CORRUPT:
		return "is damaged (checksum mismatch)";
	}
	return "unknown";
}
