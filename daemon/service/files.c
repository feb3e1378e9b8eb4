/*
 * service/files.c: the directory and the files of a run. See internal.h.
 */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"
#include "service/internal.h"

int
run_make_private(const char *path, struct error *e)
{

	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return error_set(e, "cannot make '%s':", path);
	return 0;
}

int
run_directory(const struct service *s, const char *uuid, char *dir,
    char *capture, struct error *e)
{

	if (paths_join(dir, s->runs, uuid, e) != 0 ||
	    paths_join(capture, dir, "capture.cadv", e) != 0)
		return -1;
	return run_make_private(dir, e);
}

uint64_t
run_bytes(const char *capture)
{
	struct stat st;

	return stat(capture, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* The directory holds nothing but files that the daemon wrote. */
int
run_directory_remove(const char *path, struct error *e)
{
	DIR *dir = opendir(path);
	char file[PATH_MAX];
	struct dirent *d;

	if (dir == NULL)
		return errno == ENOENT ? 0 :
		    error_set(e, "cannot read '%s':", path);
	while ((d = readdir(dir)) != NULL)
		if (strcmp(d->d_name, ".") != 0 &&
		    strcmp(d->d_name, "..") != 0 &&
		    paths_join(file, path, d->d_name, NULL) == 0)
			unlink(file);
	closedir(dir);
	return rmdir(path) == 0 ? 0 :
	    error_set(e, "cannot remove '%s':", path);
}
