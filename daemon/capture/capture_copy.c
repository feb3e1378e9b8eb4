/* Captures made from other captures: several files into one, small frames merged, or a
 * selection of frames. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/stop.h"
#include "capture/capture.h"
#include "capture/capture_merge.h"
#include "capture/frame_file.h"
#include "wire/frame.h"

static int
append_file(struct capture_writer *w, const char *path, struct error *e)
{
	struct frame_header h;
	struct frame_file s;
	uint64_t offset;
	int rc = 0;

	if (access(path, F_OK) != 0 && errno == ENOENT)
		return 0;
	if (frame_file_open_path(&s, path, e) != 0)
		return -1;
	while (!stop_asked() && (rc = frame_file_next(&s, &h, &offset)) > 0)
		if (capture_writer_put(w, s.frame,
		    FRAME_HEADER_SIZE + (size_t)h.stored, e) != 0) {
			rc = -1;
			break;
		}
	if (rc < 0)
		error_set(e, "cannot read '%s':", path);
	else if (stop_asked())
		rc = stop_error(e);
	frame_file_close(&s);
	return rc;
}

int
capture_concat(const char *const *path, size_t n, const char *out,
    struct error *e)
{
	struct capture_writer *w = capture_writer_open(out, e);
	size_t i;
	int rc = 0;

	if (w == NULL)
		return -1;
	for (i = 0; i < n && rc == 0; i++)
		rc = append_file(w, path[i], e);
	capture_writer_close(w);
	return rc;
}

int
capture_condense(const char *path, const char *out, struct error *e)
{
	struct capture_merger *m;
	struct frame_header h;
	struct frame_file s;
	const uint8_t *p;
	uint64_t offset;
	size_t len;
	int rc = 0;

	if (unlink(out) != 0 && errno != ENOENT)
		return error_set(e, "cannot replace '%s':", out);
	if (frame_file_open_path(&s, path, e) != 0)
		return -1;
	if ((m = capture_merger_open(out, false, NULL, NULL, e)) == NULL) {
		frame_file_close(&s);
		return -1;
	}
	while (!stop_asked() && (rc = frame_file_next(&s, &h, &offset)) > 0)
		if ((p = frame_file_decode(&s, &h, UINT32_MAX, &len)) != NULL &&
		    capture_merger_put(m, s.frame, &h, p, len, NULL, e) != 0)
			break;
	if (rc < 0)
		error_set(e, "cannot read '%s':", path);
	else if (stop_asked())
		rc = stop_error(e);
	rc = rc == 0 ? capture_merger_flush(m, e) : -1;
	capture_merger_close(m);
	frame_file_close(&s);
	return rc;
}

int
capture_load_own(const char *path, struct model *m,
    struct capture_stats *stats, struct capture_index *x, struct error *e)
{
	char new[PATH_MAX];
	int rc;

	memset(stats, 0, sizeof(*stats));
	if (capture_settle(path, e) != 0)
		return -1;
	rc = capture_load_file(path, m, stats, x, e);
	if (rc == 0 || !stats->crowded)
		return rc;
	*e = (struct error)ERROR_INIT;
	if (snprintf(new, sizeof(new), "%s.new", path) >= (int)sizeof(new))
		return error_set(e, "the name '%.200s' is too long", path);
	if (capture_condense(path, new, e) != 0) {
		unlink(new);
		return -1;
	}
	if (rename(new, path) != 0)
		return error_set(e, "cannot put '%s' in place:", path);
	return capture_load_file(path, m, stats, x, e);
}

int
capture_copy(const char *path, struct capture_index *x, const char *out,
    struct error *e)
{
	struct capture_writer *w = NULL;
	struct frame_header h;
	struct frame_file s;
	uint64_t offset;
	size_t i;
	int rc = -1;

	if (frame_file_open_path(&s, path, e) != 0)
		return -1;
	unlink(out);
	if ((w = capture_writer_open(out, e)) == NULL)
		goto out;
	for (i = 0; i < x->frames; i++) {
		if (stop_asked()) {
			stop_error(e);
			goto out;
		}
		if (frame_file_at(&s, x->frame[i].offset, &h) != 0) {
			error_set(e, "'%s' changed while it was read", path);
			goto out;
		}
		offset = capture_writer_bytes(w);
		if (capture_writer_put(w, s.frame, FRAME_HEADER_SIZE +
		    (size_t)h.stored, e) != 0)
			goto out;
		x->frame[i].offset = offset;
		x->frame[i].stored = (uint32_t)(capture_writer_bytes(w) -
		    offset - FRAME_HEADER_SIZE);
	}
	rc = 0;
out:
	capture_writer_close(w);
	frame_file_close(&s);
	return rc;
}
