#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#include "base/whole_file.h"

int
whole_file_open(struct whole_file *w, const char *path, struct error *e)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	w->path = path;
	if (asprintf(&w->part, "%s.part-XXXXXX", path) < 0)
		return error_memory(e);
	if ((fd = mkostemp(w->part, O_CLOEXEC)) >= 0) {
		fchmod(fd, 0666 & ~mask);
		if ((w->file = fdopen(fd, "w")) != NULL)
			return 0;
	}
	error_set(e, "cannot write '%s':", path);
	if (fd >= 0) {
		close(fd);
		unlink(w->part);
	}
	free(w->part);
	return -1;
}

int
whole_file_close(struct whole_file *w, bool keep, struct error *e)
{
	bool bad = ferror(w->file) != 0, kept;

	bad |= fclose(w->file) != 0;
	kept = keep && !bad && rename(w->part, w->path) == 0;
	if (keep && !kept)
		error_set(e, "cannot write '%s':", w->path);
	if (!kept)
		unlink(w->part);
	free(w->part);
	return kept ? 0 : -1;
}
