#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>
#include <zstd_errors.h>

#include "base/error.h"
#include "base/stop.h"
#include "capture/frame_file.h"
#include "wire/le.h"

#define READ_AHEAD (64u << 10)
#define READ_FIRST (4u << 10)	/* bytes of a frame to read first: most places with
				 * the magic number are no frames */

/* How many bytes compressed frames may decompress to, each being read twice: so many
 * per byte of the file, and so many in addition. Of the captures under tests none needs
 * 12 bytes per byte, no single frame 30. */
#define UNFOLD_BYTE 256u
#define UNFOLD_FREE (256u << 20)

/* pread until ${len} bytes or the end of the file. */
static ssize_t
read_at(const struct frame_file *s, uint8_t *buf, size_t len, uint64_t offset)
{
	size_t got = 0;
	ssize_t n;

	while (got < len) {
		n = pread(s->fd, buf + got, len - got, (off_t)(offset + got));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

int
frame_file_open(struct frame_file *s, int fd, const char *name, struct error *e)
{
	struct stat st;
	size_t stored = FRAME_MAX_PAYLOAD;

	memset(s, 0, sizeof(*s));
	s->fd = fd;
	s->name = name;
	if (fstat(fd, &st) != 0)
		return error_set(e, "cannot look at '%s':", name);
	if (!S_ISREG(st.st_mode))
		return error_set(e, "'%s' is not a regular file", name);
	s->size = s->stats.bytes = (uint64_t)st.st_size;
	/* How many bytes may be hashed and read in damaged frames. Without a limit a
	 * file of headers that each claim 4 MiB would take days. */
	s->budget = (64u << 20) + 8 * s->size;
	s->unfold = UNFOLD_FREE + UNFOLD_BYTE * s->size;
	/* No frame is larger than its file, but check_at and resync read ahead. */
	if (s->size < FRAME_MAX_PAYLOAD)
		stored = s->size < READ_AHEAD ? READ_AHEAD : (size_t)s->size;
	s->frame = malloc(FRAME_HEADER_SIZE + stored);
	s->zstd = ZSTD_createDCtx();
	if (s->frame == NULL || s->zstd == NULL) {
		frame_file_close(s);
		return error_memory(e);
	}
	return 0;
}

int
frame_file_open_path(struct frame_file *s, const char *path, struct error *e)
{
	/* Do not block if it is a pipe without a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	memset(s, 0, sizeof(*s));
	if (fd < 0)
		return error_set(e, "cannot open '%s':", path);
	if (frame_file_open(s, fd, path, e) != 0) {
		close(fd);
		return -1;
	}
	s->owned = true;
	return 0;
}

void
frame_file_close(struct frame_file *s)
{

	if (s->owned)
		close(s->fd);
	s->owned = false;
	free(s->frame);
	free(s->raw);
	ZSTD_freeDCtx(s->zstd);
	s->frame = s->raw = NULL;
	s->raw_size = 0;
	s->zstd = NULL;
}

/* Reads and checks the frame at ${offset}. -1 on a read error, else 0 and the result in
 * *${status}. */
static int
check_at(struct frame_file *s, uint64_t offset, struct frame_header *h,
    enum frame_status *status)
{
	size_t first = FRAME_HEADER_SIZE + READ_FIRST;
	ssize_t got, more;

	if ((got = read_at(s, s->frame, first, offset)) < 0)
		return -1;
	*status = frame_peek(s->frame, (size_t)got, h);
	if (*status != FRAME_OK)
		return 0;
	if (h->stored > s->size || h->records > UINT64_MAX - h->sequence) {
		*status = h->stored > s->size ? FRAME_SHORT : FRAME_CORRUPT;
		return 0;
	}
	if (FRAME_HEADER_SIZE + (size_t)h->stored > (size_t)got &&
	    (size_t)got == first) {
		more = read_at(s, s->frame + got, FRAME_HEADER_SIZE +
		    (size_t)h->stored - (size_t)got, offset + (uint64_t)got);
		if (more < 0)
			return -1;
		got += more;
	}
	*status = frame_check(s->frame, (size_t)got, h);
	return 0;
}

/* Moves *${offset} to the next magic number after it, or to the end of the file. */
static int
resync(struct frame_file *s, uint64_t *offset)
{
	uint64_t at = *offset + 1;
	ssize_t got;
	size_t place;

	for (;;) {
		if ((got = read_at(s, s->frame, READ_AHEAD, at)) < 0)
			return -1;
		if (got < 4) {
			*offset = s->size;
			return 0;
		}
		place = frame_resync(s->frame, (size_t)got);
		if (place < (size_t)got) {
			*offset = at + place;
			return 0;
		}
		at += (uint64_t)got - 3;
	}
}

int
frame_file_next(struct frame_file *s, struct frame_header *h, uint64_t *offset)
{
	uint64_t begin = s->offset;
	enum frame_status status, first = FRAME_OK;
	uint64_t cost;

	while (s->offset < s->size) {
		if (check_at(s, s->offset, h, &status) != 0)
			return -1;
		if (s->offset == 0)
			s->magic = s->size >= 4 &&
			    le32_get(s->frame) == FRAME_MAGIC;
		if (status == FRAME_OK) {
			if (s->offset != begin) {
				s->stats.damaged++;
				s->stats.damaged_bytes += s->offset - begin;
			}
			*offset = s->offset;
			s->offset += FRAME_HEADER_SIZE + h->stored;
			return 1;
		}
		if (first == FRAME_OK)
			first = status;
		s->newer |= status == FRAME_TOO_NEW;
		cost = READ_AHEAD + (status == FRAME_CORRUPT ? h->stored : 0);
		if (cost >= s->budget) {
			s->offset = s->size;
			break;
		}
		s->budget -= cost;
		if (resync(s, &s->offset) != 0)
			return -1;
	}
	if (s->offset > begin) {
		if (first == FRAME_SHORT)
			s->stats.truncated = true;
		else
			s->stats.damaged++;
		s->stats.damaged_bytes += s->size - begin;
	}
	return 0;
}

int
frame_file_at(struct frame_file *s, uint64_t offset, struct frame_header *h)
{
	enum frame_status status;

	if (check_at(s, offset, h, &status) != 0 || status != FRAME_OK)
		return -1;
	return 0;
}

/* Makes room for ${len} bytes at s->raw; what was there may be lost. -1: no memory. */
static int
make_room(struct frame_file *s, size_t len)
{

	if (s->raw != NULL && len <= s->raw_size)
		return 0;
	free(s->raw);
	s->raw_size = len;
	s->raw = malloc(len > 0 ? len : 1);
	return s->raw == NULL ? -1 : 0;
}

/* Decompression failed: was it for lack of memory, rather than the file's fault? */
static const uint8_t *
failed(struct frame_file *s, size_t rc)
{

	if (ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation)
		s->poor = true;
	return NULL;
}

const uint8_t *
frame_file_decode(struct frame_file *s, const struct frame_header *h, uint32_t limit,
    size_t *len)
{
	const uint8_t *stored = s->frame + FRAME_HEADER_SIZE;
	ZSTD_inBuffer in = { stored, h->stored, 0 };
	ZSTD_outBuffer out = { NULL, 0, 0 };
	size_t rc;

	if (!(h->flags & FRAME_ZSTD)) {
		*len = h->stored;
		return stored;
	}
	if (limit > h->raw)
		limit = h->raw;
	if (limit > s->unfold) {
		s->bomb = true;
		return NULL;
	}
	s->unfold -= limit;
	if (make_room(s, limit) != 0) {
		s->poor = true;
		return NULL;
	}
	if (limit == h->raw) {
		rc = ZSTD_decompressDCtx(s->zstd, s->raw, h->raw, stored,
		    h->stored);
		if (ZSTD_isError(rc) || rc != h->raw)
			return failed(s, rc);
		*len = h->raw;
		return s->raw;
	}
	out.dst = s->raw;
	out.size = limit;
	ZSTD_DCtx_reset(s->zstd, ZSTD_reset_session_only);
	while (out.pos < out.size) {
		rc = ZSTD_decompressStream(s->zstd, &out, &in);
		if (ZSTD_isError(rc))
			return failed(s, rc);
		if (rc == 0 || (in.pos == in.size && out.pos < out.size))
			break;
	}
	*len = out.pos;
	return s->raw;
}

bool
frame_file_stops(const struct frame_file *s)
{

	return s->bomb || s->poor || stop_asked();
}

int
frame_file_verdict(const struct frame_file *s, struct error *e)
{

	if (s->bomb) {
		error_set(e, "'%s' decompresses to more than %u times its size, "
		    "which no capture does", s->name, UNFOLD_BYTE);
		return error_remedy(e, "record it again");
	}
	if (s->poor)
		return error_memory(e);
	if (stop_asked())
		return stop_error(e);
	if (s->stats.frames > 0)
		return 0;
	if (s->size == 0) {
		error_code(e, ERROR_INVALID, "'%s' is empty", s->name);
		return error_remedy(e, "record it again; a capture has at "
		    "least the program's start in it");
	}
	if (s->newer) {
		error_code(e, ERROR_TOO_NEW, "'%s' was written by a newer "
		    "version of cudadvise", s->name);
		return error_remedy(e, "read it with that version");
	}
	if (!s->magic) {
		error_code(e, ERROR_INVALID, "'%s' is not a cudadvise capture",
		    s->name);
		return error_remedy(e, "captures come from `cudadvise run "
		    "--no-daemon -o FILE` and `cudadvise export --format "
		    "capture`");
	}
	if (s->stats.truncated)
		error_code(e, ERROR_INVALID, "'%s' ends inside its first frame "
		    "(truncated)", s->name);
	else
		error_code(e, ERROR_INVALID, "'%s' is damaged: no frame of it "
		    "is readable", s->name);
	return error_remedy(e, "copy it again from where it was recorded");
}
