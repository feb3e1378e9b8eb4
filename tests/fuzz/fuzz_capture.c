/*
 * fuzz_capture.c: a whole capture file: reading, model, ceilings, rules, JSON.
 *
 * The first byte says how the rest is meant. 0: the file as it is. 1: chunks
 * { u8 stream, u8 sequence step, u16 length, payload } that are sealed into
 * frames here, since no mutation finds a checksum.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "ingest/analyse.h"
#include "ingest/capture.h"
#include "model/model.h"
#include "wire/frame.h"
#include "wire/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
put(int fd, const uint8_t *data, size_t size)
{
	ssize_t n;

	while (size > 0) {
		if ((n = write(fd, data, size)) <= 0)
			return (-1);
		data += n;
		size -= (size_t)n;
	}
	return (0);
}

static uint32_t
count(const uint8_t *data, size_t size)
{
	struct record r;
	uint32_t n = 0;
	size_t pos = 0;

	while (record_next(data, size, &pos, &r) == 1)
		n++;
	return (n);
}

static int
seal_all(int fd, const uint8_t *data, size_t size)
{
	static uint8_t buf[FRAME_HEADER_SIZE + 65536];
	uint64_t sequence[256] = { 0 };
	struct frame_header h;
	size_t pos = 0, n;

	while (size - pos > 4) {
		memset(&h, 0, sizeof(h));
		h.stream = data[pos] + 1u;
		sequence[data[pos]] += data[pos + 1] % 4 == 3 ? 5 : 0;
		h.sequence = sequence[data[pos]];
		n = data[pos + 2] | (size_t)data[pos + 3] << 8;
		pos += 4;
		if (n > size - pos)
			n = size - pos;
		h.stored = h.raw = (uint32_t)n;
		h.records = count(data + pos, n);
		sequence[h.stream - 1] += h.records;
		memcpy(buf + FRAME_HEADER_SIZE, data + pos, n);
		frame_seal(buf, &h);
		if (put(fd, buf, FRAME_HEADER_SIZE + n) != 0)
			return (-1);
		pos += n;
	}
	return (0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct capture_stats stats;
	struct error e = { 0 };
	struct model *m = NULL;
	int fd;

	if (size < 1 || (fd = memfd_create("capture", MFD_CLOEXEC)) < 0)
		return (0);
	if ((data[0] == 0 ? put(fd, data + 1, size - 1) :
	    seal_all(fd, data + 1, size - 1)) != 0 ||
	    lseek(fd, 0, SEEK_SET) != 0 || (m = model_new()) == NULL)
		goto out;
	if (capture_load_fd(fd, "fuzz", m, &stats, NULL, &e) == 0) {
		model_settle(m, false);
		documents_free(analyse(m, true, NULL, 1, NULL));
	}
out:
	model_free(m);
	close(fd);
	return (0);
}
