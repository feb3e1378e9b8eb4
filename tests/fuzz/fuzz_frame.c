/* fuzz_frame.c: the framing layer of the protocol, on any bytes. */
#include <stdlib.h>
#include <string.h>

#include "wire/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
expect(int ok)
{
	if (!ok)
		abort();
}

/* A frame that we seal must pass the check, and must fail it if any bit is changed. */
static void
round_trip(const uint8_t *data, size_t size)
{
	struct frame_header h = { .stream = 7, .sequence = 3 }, back;
	uint8_t *buf;

	if (size < 8 || size > 65536 || (buf = malloc(FRAME_HEADER_SIZE +
	    size)) == NULL)
		return;
	h.stored = h.raw = (uint32_t)size;
	h.records = 1;
	memcpy(buf + FRAME_HEADER_SIZE, data, size);
	frame_seal(buf, &h);
	expect(frame_check(buf, FRAME_HEADER_SIZE + size, &back) == FRAME_OK);
	expect(back.stored == size && back.stream == 7 && back.sequence == 3);
	expect(frame_check(buf, FRAME_HEADER_SIZE + size - 1, &back) ==
	    FRAME_SHORT);
	buf[data[0] % (FRAME_HEADER_SIZE + size)] ^= 1u << (data[1] % 8);
	expect(frame_check(buf, FRAME_HEADER_SIZE + size, &back) != FRAME_OK);
	free(buf);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame_header h;
	size_t pos = 0, skip;

	while (pos < size) {
		(void)frame_peek(data + pos, size - pos, &h);
		if (frame_check(data + pos, size - pos, &h) == FRAME_OK) {
			expect(h.stored <= size - pos - FRAME_HEADER_SIZE);
			pos += FRAME_HEADER_SIZE + h.stored;
			continue;
		}
		skip = frame_resync(data + pos + 1, size - pos - 1);
		expect(skip <= size - pos - 1);
		pos += 1 + skip;
	}
	round_trip(data, size);
	return 0;
}
