#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <zstd.h>

#include "base/error.h"
#include "capture/capture.h"
#include "wire/frame.h"

#define LEVEL 1			/* fastest: the CPU is the measured program's */

struct capture_writer {
	int fd;
	uint64_t bytes;
	ZSTD_CCtx *zstd;
	uint8_t *out;		/* one compressed frame */
	size_t cap;
};

struct capture_writer *
capture_writer_open(const char *path, struct error *e)
{
	struct capture_writer *w = calloc(1, sizeof(*w));
	struct stat st;

	if (w == NULL) {
		error_memory(e);
		return NULL;
	}
	w->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC |
	    O_NOFOLLOW, 0600);
	if (w->fd < 0 || fstat(w->fd, &st) != 0) {
		error_set(e, "cannot write '%s':", path);
		goto fail;
	}
	w->bytes = (uint64_t)st.st_size;
	return w;
fail:
	capture_writer_close(w);
	return NULL;
}

/* Writes all bytes; if that fails, truncates the file to its previous length. */
static int
write_whole(struct capture_writer *w, const uint8_t *p, size_t len,
    struct error *e)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = write(w->fd, p + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (n == 0)
				errno = ENOSPC;
			error_set(e, "cannot append to the capture:");
			error_remedy(e, "make room on the disk, or delete "
			    "runs with `cudadvise rm`");
			if (done > 0 && ftruncate(w->fd, (off_t)w->bytes) != 0)
				w->bytes += done;
			return -1;
		}
		done += (size_t)n;
	}
	w->bytes += len;
	return 0;
}

/* Compresses the frame into w->out. Returns its length, or 0 if it would not get
 * smaller. */
static size_t
compress(struct capture_writer *w, const uint8_t *frame,
    const struct frame_header *h)
{
	struct frame_header packed = *h;
	size_t need = FRAME_HEADER_SIZE + ZSTD_compressBound(h->raw), n;
	uint8_t *grown;

	if (w->zstd == NULL) {
		if ((w->zstd = ZSTD_createCCtx()) == NULL)
			return 0;
		ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel,
		    LEVEL);
	}
	if (need > w->cap) {
		if ((grown = realloc(w->out, need)) == NULL)
			return 0;
		w->out = grown;
		w->cap = need;
	}
	n = ZSTD_compress2(w->zstd, w->out + FRAME_HEADER_SIZE,
	    w->cap - FRAME_HEADER_SIZE, frame + FRAME_HEADER_SIZE, h->stored);
	if (ZSTD_isError(n) || n >= h->stored)
		return 0;
	packed.flags |= FRAME_ZSTD;
	packed.stored = (uint32_t)n;
	frame_seal(w->out, &packed);
	return FRAME_HEADER_SIZE + n;
}

int
capture_writer_put(struct capture_writer *w, const uint8_t *frame, size_t len,
    struct error *e)
{
	struct frame_header h;
	size_t packed = 0;

	if (frame_peek(frame, len, &h) != FRAME_OK ||
	    len != FRAME_HEADER_SIZE + (size_t)h.stored)
		return error_set(e, "that is not one frame");
	if (!(h.flags & FRAME_ZSTD))
		packed = compress(w, frame, &h);
	if (packed > 0)
		return write_whole(w, w->out, packed, e);
	return write_whole(w, frame, len, e);
}

int
capture_writer_plain(struct capture_writer *w, const uint8_t *frame,
    size_t len, struct error *e)
{

	return write_whole(w, frame, len, e);
}

int
capture_writer_empty(struct capture_writer *w, struct error *e)
{

	if (ftruncate(w->fd, 0) != 0)
		return error_set(e, "cannot truncate a capture's journal:");
	w->bytes = 0;
	return 0;
}

uint64_t
capture_writer_bytes(const struct capture_writer *w)
{

	return w->bytes;
}

void
capture_writer_close(struct capture_writer *w)
{

	if (w == NULL)
		return;
	if (w->fd >= 0)
		close(w->fd);
	ZSTD_freeCCtx(w->zstd);
	free(w->out);
	free(w);
}
