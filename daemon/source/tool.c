/*
 * source/tool.c: see tool.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/paths.h"
#include "base/text.h"
#include "source/child.h"
#include "source/disasm.h"
#include "source/listing.h"
#include "source/tool.h"

#define SUFFIX ".cubin"

static const struct child_limits run_limits = {
	.ns = 10000000000u, .cpu_seconds = 10, .memory = 4ull << 30,
	.output = LISTING_BYTES,
};

static int
write_all(int fd, const uint8_t *p, size_t len)
{
	ssize_t n;

	for (; len > 0; p += n, len -= (size_t)n)
		if ((n = write(fd, p, len)) < 0) {
			if (errno != EINTR)
				return -1;
			n = 0;
		}
	return 0;
}

/* The directory for its input, the only one in which it may write files. */
static int
tool_directory(char *dir)
{
	struct error ignored = ERROR_INIT;
	char runtime[PATH_MAX];

	return paths_runtime(runtime, &ignored) == 0 &&
	    paths_join(dir, runtime, "code", &ignored) == 0 &&
	    (mkdir(dir, 0700) == 0 || errno == EEXIST) ? 0 : -1;
}

int
tool_file(char *path, const uint8_t *bytes, size_t size, struct error *e)
{
	char dir[PATH_MAX];
	int fd, rc;

	if (tool_directory(dir) != 0)
		text_copy(dir, sizeof(dir), "/tmp");
	if (paths_join(path, dir, "code-XXXXXX" SUFFIX, e) != 0) {
		path[0] = '\0';
		return -1;
	}
	fd = mkostemps(path, sizeof(SUFFIX) - 1, O_CLOEXEC);
	if (fd < 0) {
		error_set(e, "cannot make '%s':", path);
		path[0] = '\0';
		return -1;
	}
	if ((rc = write_all(fd, bytes, size)) != 0)
		error_set(e, "cannot write '%s':", path);
	if (close(fd) != 0 && rc == 0)
		rc = error_set(e, "cannot write '%s':", path);
	if (rc != 0) {
		unlink(path);
		path[0] = '\0';
	}
	return rc;
}

int
tool_run(const struct disassembler *d, char *const argv[], bool json,
    struct listing *l, struct error *e)
{
	struct child_limits limits = run_limits;
	struct child_output o;
	char dir[PATH_MAX];
	int rc;

	if (tool_directory(dir) == 0)
		limits.writable = dir;
	if (d->ns != 0 && d->ns < limits.ns)
		limits.ns = d->ns;
	if (child_run(d->path, argv, &limits, &o, e) != 0)
		return -1;
	if (o.status != 0)
		rc = -1;
	else
		rc = json ? listing_json(l, o.text, o.len) :
		    listing_text(l, o.text, o.len);
	if (rc != 0)
		error_set(e, o.complaint[0] != '\0' ? "nvdisasm: %s" :
		    "nvdisasm printed nothing that can be read%s",
		    o.complaint);
	free(o.text);
	return rc == 0 ? 0 : 1;
}
