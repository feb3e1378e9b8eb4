#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#include "http/token.h"

/* 0 if the file at ${path} holds a token that only we can read. */
static int
token_read(const char *path, char *token)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	ssize_t n = -1;
	size_t i;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid() && (st.st_mode & 077) == 0)
		n = read(fd, token, TOKEN_TEXT);
	close(fd);
	if (n != TOKEN_TEXT)
		return -1;
	token[TOKEN_TEXT] = '\0';
	for (i = 0; i < TOKEN_TEXT; i++)
		if (!isxdigit((unsigned char)token[i]))
			return -1;
	return 0;
}

static int
token_make(char *token)
{
	unsigned char random[TOKEN_BYTES];
	size_t i;

	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return -1;
	for (i = 0; i < TOKEN_BYTES; i++)
		snprintf(token + 2 * i, 3, "%02x", random[i]);
	return 0;
}

int
token_load(const char *path, char *token, struct error *e)
{
	char fresh[PATH_MAX];
	int fd, n;
	ssize_t written;

	if (token_read(path, token) == 0)
		return 0;
	if (token_make(token) < 0)
		return error_set(e, "cannot make a token: no random numbers:");
	n = snprintf(fresh, sizeof(fresh), "%s.XXXXXX", path);
	if (n < 0 || (size_t)n >= sizeof(fresh))
		return error_set(e, "the path '%s' is too long", path);
	fd = mkostemp(fresh, O_CLOEXEC);	/* 0600 */
	if (fd < 0)
		return error_set(e, "cannot write the token to '%s':", path);
	written = write(fd, token, TOKEN_TEXT);
	if (close(fd) != 0 || written != TOKEN_TEXT ||
	    rename(fresh, path) != 0) {
		error_set(e, "cannot write the token to '%s':", path);
		unlink(fresh);
		return -1;
	}
	return 0;
}
