#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#include "base/whole_file.h"

/* Is ${path} a device, a pipe or a link? A file may not take its place. */
static bool
is_special(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

int
whole_file_open(struct whole_file *w, const char *path, struct error *e)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	w->path = path;
	w->part = NULL;
	if (is_special(path)) {
		w->file = fopen(path, "we");
		return w->file != NULL ? 0 : error_set(e, "cannot write '%s':",
		    path);
	}
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
	kept = keep && !bad && (w->part == NULL ||
	    rename(w->part, w->path) == 0);
	if (keep && !kept)
		error_set(e, "cannot write '%s':", w->path);
	if (!kept && w->part != NULL)
		unlink(w->part);
	free(w->part);
	return kept ? 0 : -1;
}
