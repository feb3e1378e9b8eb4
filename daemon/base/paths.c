#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/paths.h"

static int
format_checked(char *out, struct error *e, int n)
{

	if (n >= 0 && n < PATH_MAX)
		return 0;
	out[0] = '\0';
	error_set(e, "a path is longer than %d bytes", PATH_MAX - 1);
	return error_remedy(e, "choose a shorter directory");
}

int
paths_join(char *out, const char *a, const char *b, struct error *e)
{

	return format_checked(out, e,
	    snprintf(out, PATH_MAX, "%s/%s", a, b));
}

/* An environment variable that holds an absolute path; relative ones are
 * ignored, as the XDG specification asks. */
static const char *
environment(const char *name)
{
	const char *v = getenv(name);

	return v != NULL && v[0] == '/' ? v : NULL;
}

/* Make ${path} and its missing parents, with mode 0700. */
static int
make_directory(const char *path, struct error *e)
{
	char part[PATH_MAX];
	char *p;

	if (format_checked(part, e, snprintf(part, sizeof(part), "%s", path)))
		return -1;
	for (p = part + 1; *p != '\0'; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(part, 0700) != 0 && errno != EEXIST)
			return error_set(e, "cannot make '%s':", part);
		*p = '/';
	}
	if (mkdir(part, 0700) != 0 && errno != EEXIST)
		return error_set(e, "cannot make '%s':", part);
	return 0;
}

/* Make ${path} if it is missing. It has to belong to this user, who alone may read or
 * write it; a symbolic link to it has to be this user's, too. */
static int
private_directory(const char *path, const char *variable, struct error *e)
{
	struct stat st;

	if (make_directory(path, e) != 0)
		goto remedy;
	if (lstat(path, &st) != 0) {
		error_set(e, "cannot look at '%s':", path);
		goto remedy;
	}
	if (S_ISLNK(st.st_mode) && st.st_uid == geteuid() &&
	    stat(path, &st) != 0) {
		error_set(e, "cannot look at '%s':", path);
		goto remedy;
	}
	if (!S_ISDIR(st.st_mode)) {
		error_set(e, "'%s' is not a directory", path);
		goto remedy;
	}
	if (st.st_uid != geteuid()) {
		error_set(e, "'%s' belongs to user %u, not to you", path,
		    (unsigned)st.st_uid);
		goto remedy;
	}
	if ((st.st_mode & 077) != 0) {
		error_set(e, "'%s' is open to other users (mode %03o)", path,
		    (unsigned)(st.st_mode & 0777));
		return error_remedy(e, "chmod 700 %s", path);
	}
	return 0;
remedy:
	return error_remedy(e, "set %s to a directory of your own", variable);
}

int
paths_runtime(char *out, struct error *e)
{
	const char *v;
	int n;

	if ((v = environment("CUDADVISE_RUNTIME_DIR")) != NULL)
		n = snprintf(out, PATH_MAX, "%s", v);
	else if ((v = environment("XDG_RUNTIME_DIR")) != NULL)
		n = snprintf(out, PATH_MAX, "%s/cudadvise", v);
	else
		n = snprintf(out, PATH_MAX, "/tmp/cudadvise-%u",
		    (unsigned)geteuid());
	if (format_checked(out, e, n) != 0)
		return -1;
	return private_directory(out, "CUDADVISE_RUNTIME_DIR", e);
}

/* $HOME/${tail}. A service or a container may lack HOME: then the home directory of the
 * account. */
static int
home_path(char *out, const char *tail, const char *variable, struct error *e)
{
	const char *home = environment("HOME");
	struct passwd account, *found = NULL;
	char names[4096];

	if (home == NULL && getpwuid_r(geteuid(), &account, names,
	    sizeof(names), &found) == 0 && found != NULL &&
	    found->pw_dir != NULL && found->pw_dir[0] == '/')
		home = found->pw_dir;
	if (home == NULL) {
		error_set(e, "HOME is not set");
		return error_remedy(e, "set HOME or %s", variable);
	}
	return paths_join(out, home, tail, e);
}

int
paths_state(char *out, struct error *e)
{
	const char *v;

	if ((v = environment("CUDADVISE_STATE_DIR")) != NULL) {
		if (format_checked(out, e, snprintf(out, PATH_MAX, "%s", v)))
			return -1;
	} else if ((v = environment("XDG_STATE_HOME")) != NULL) {
		if (paths_join(out, v, "cudadvise", e) != 0)
			return -1;
	} else if (home_path(out, ".local/state/cudadvise",
	    "CUDADVISE_STATE_DIR", e) != 0)
		return -1;
	return private_directory(out, "CUDADVISE_STATE_DIR", e);
}

int
paths_config(char *out, struct error *e)
{
	const char *v;

	if ((v = environment("CUDADVISE_CONFIG")) != NULL)
		return format_checked(out, e,
		    snprintf(out, PATH_MAX, "%s", v));
	if ((v = environment("XDG_CONFIG_HOME")) != NULL)
		return paths_join(out, v, "cudadvise/cudadvised.conf", e);
	return home_path(out, ".config/cudadvise/cudadvised.conf",
	    "CUDADVISE_CONFIG", e);
}

/* The directory that holds this executable. */
static int
executable_directory(char *out, struct error *e)
{
	ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);
	char *slash;

	if (n <= 0)
		return error_set(e, "cannot read /proc/self/exe:");
	out[n] = '\0';
	if ((slash = strrchr(out, '/')) == NULL || slash == out)
		return error_set(e, "strange executable path '%s'", out);
	*slash = '\0';
	return 0;
}

/* The first of ${place}[], relative to the executable's directory, in which ${probe} is
 * readable. 0; 1 if there is none; -1 with ${e} set. */
static int
beside_executable(char *out, const char *const *place, const char *probe,
    struct error *e)
{
	char dir[PATH_MAX], path[PATH_MAX + 64];
	size_t i;

	if (executable_directory(dir, e) != 0)
		return -1;
	for (i = 0; place[i] != NULL; i++) {
		if (paths_join(out, dir, place[i], e) != 0)
			return -1;
		snprintf(path, sizeof(path), "%s%s", out, probe);
		if (access(path, R_OK) == 0)
			return 0;
	}
	out[0] = '\0';
	return 1;
}

int
paths_data(char *out, struct error *e)
{
	static const char *const place[] = {
		"../../config", "../share/cudadvise", "../config", NULL
	};
	const char *v;
	int rc;

	if ((v = environment("CUDADVISE_DATA_DIR")) != NULL)
		return format_checked(out, e,
		    snprintf(out, PATH_MAX, "%s", v));
	if ((rc = beside_executable(out, place, "/metrics", e)) <= 0)
		return rc;
	error_set(e, "the data directory (metrics/) was not found");
	return error_remedy(e,
	    "reinstall cudadvise, or set CUDADVISE_DATA_DIR");
}

static int
socket_path(char *out, const char *name, struct error *e)
{
	const size_t max = sizeof(((struct sockaddr_un *)0)->sun_path) - 1;
	char dir[PATH_MAX];

	if (paths_runtime(dir, e) != 0 || paths_join(out, dir, name, e) != 0)
		return -1;
	if (strlen(out) <= max)
		return 0;
	error_set(e, "the socket path '%.200s' is %zu bytes, over the "
	    "system's limit of %zu", out, strlen(out), max);
	return error_remedy(e,
	    "set CUDADVISE_RUNTIME_DIR to a shorter directory");
}

int
paths_ingest_socket(char *out, struct error *e)
{

	return socket_path(out, "ingest.sock", e);
}

int
paths_api_socket(char *out, struct error *e)
{

	return socket_path(out, "api.sock", e);
}

int
paths_spool(char *out, struct error *e)
{
	char state[PATH_MAX];

	if (paths_state(state, e) != 0 ||
	    paths_join(out, state, "spool", e) != 0)
		return -1;
	return private_directory(out, "CUDADVISE_STATE_DIR", e);
}

int
paths_unnamed(char *out, struct error *e)
{
	char name[PATH_MAX];
	int fd;

	if (paths_state(out, e) != 0 ||
	    paths_join(name, out, "unnamed.XXXXXX", e) != 0)
		return -1;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return error_set(e, "cannot write to '%s':", out);
	unlink(name);
	return fd;
}

int
paths_injection(char *out, struct error *e)
{
	static const char *const place[] = {
		"../lib/libcudadvise_injection.so",
		"../lib/cudadvise/libcudadvise_injection.so",
		"../lib64/cudadvise/libcudadvise_injection.so",
		"../lib/x86_64-linux-gnu/cudadvise/libcudadvise_injection.so",
		"../lib/x86_64-linux-gnu/libcudadvise_injection.so",
		"../lib/aarch64-linux-gnu/cudadvise/libcudadvise_injection.so",
		"../lib/aarch64-linux-gnu/libcudadvise_injection.so",
		NULL
	};
	int rc = beside_executable(out, place, "", e);

	if (rc <= 0)
		return rc;
	error_set(e, "libcudadvise_injection.so was not found beside this "
	    "program");
	return error_remedy(e, "build with a CUDA toolkit that has CUPTI, "
	    "or reinstall");
}
