/*
 * Counts the attempts to process a run that the daemon did not survive: a file in the
 * run's directory with one byte per attempt. Data that crashes the daemon would
 * otherwise crash it again after every restart.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"
#include "service/internal.h"

/* Several are allowed: power failures and impatient users interrupt attempts, too. */
#define ATTEMPTS 5

static int
attempts_open(const char *dir, off_t *count)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	if (paths_join(path, dir, "attempts", NULL) != 0)
		return -1;
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC |
	    O_NOFOLLOW, 0600);
	if (fd < 0)
		return -1;
	*count = fstat(fd, &st) == 0 ? st.st_size : 0;
	return fd;
}

int
attempt_begin(const char *dir, struct error *e)
{
	off_t count = 0;
	int fd = attempts_open(dir, &count), rc = 0;

	/* The attempt is made even if it cannot be counted, for example on a full
	 * disk. */
	if (fd < 0)
		return 0;
	if (count >= ATTEMPTS) {
		error_set(e, "the daemon has ended %d times while it worked on "
		    "this run: it is set aside", ATTEMPTS);
		rc = error_remedy(e, "`cudadvise reanalyze` tries again, "
		    "`cudadvise rm` deletes it");
	} else if (write(fd, "x", 1) < 0)
		rc = 0;
	close(fd);
	return rc;
}

void
attempt_end(const char *dir)
{
	off_t count = 0;
	int fd = attempts_open(dir, &count);

	if (fd < 0)
		return;
	if (count <= 1)
		attempt_forget(dir);
	else if (ftruncate(fd, count - 1) != 0)
		attempt_forget(dir);
	close(fd);
}

void
attempt_forget(const char *dir)
{
	char path[PATH_MAX];

	if (paths_join(path, dir, "attempts", NULL) == 0)
		unlink(path);
}
