/*
 * fuzz_capture.c: a whole capture file: reading, model, ceilings, rules, JSON.
 *
 * The first byte tells what the rest is. 0: the file itself. 1: chunks (parts.h).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "report/analyse.h"
#include "capture/capture.h"
#include "model/model.h"

#include "fuzz/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
put(int fd, const uint8_t *data, size_t size)
{
	ssize_t n;

	while (size > 0) {
		if ((n = write(fd, data, size)) <= 0)
			return -1;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

static int
seal_all(int fd, struct input in)
{
	static uint8_t buf[1 << 20];

	return put(fd, buf, input_frames(&in, buf, sizeof(buf)));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct capture_stats stats;
	struct error e = { 0 };
	struct model *m = NULL;
	int fd;

	if (size < 1 || (fd = memfd_create("capture", MFD_CLOEXEC)) < 0)
		return 0;
	if ((data[0] == 0 ? put(fd, data + 1, size - 1) :
	    seal_all(fd, (struct input){ data + 1, size - 1 })) != 0 ||
	    lseek(fd, 0, SEEK_SET) != 0 || (m = model_new()) == NULL)
		goto out;
	if (capture_load_fd(fd, "fuzz", m, &stats, NULL, &e) == 0) {
		model_settle(m, false);
		documents_free(analyse(m, true, NULL, 1, NULL));
	}
out:
	model_free(m);
	close(fd);
	return 0;
}
