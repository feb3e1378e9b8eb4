/* The daemon's program: a single instance, running in the background, signals,
 * its errors. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>
#include <sqlite3.h>

#include "unit/fixtures.h"
#include "unit/test.h"

static char *top;
static char runtime[200], state_dir[200], output[8192];

static int
set_up(void **state)
{

	(void)state;
	top = fixture_mkdir();
	snprintf(runtime, sizeof(runtime), "%s/rt", top);
	snprintf(state_dir, sizeof(state_dir), "%s/st", top);
	setenv("CUDADVISE_RUNTIME_DIR", runtime, 1);
	setenv("CUDADVISE_STATE_DIR", state_dir, 1);
	setenv("XDG_CONFIG_HOME", top, 1);
	return 0;
}

static pid_t
daemon_pid(void)
{
	char name[300];
	long pid = 0;
	FILE *f;

	snprintf(name, sizeof(name), "%s/cudadvised.pid", runtime);
	if ((f = fopen(name, "r")) == NULL)
		return 0;
	if (fscanf(f, "%ld", &pid) != 1)
		pid = 0;
	fclose(f);
	return (pid_t)pid;
}

/* Whether the process has ended, even if it was not waited for yet: its new
 * parent may be slow. */
static bool
is_gone(pid_t pid)
{
	char name[64], line[512] = "", *state;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%ld/stat", (long)pid);
	if ((f = fopen(name, "r")) == NULL)
		return true;
	if (fgets(line, sizeof(line), f) == NULL)
		line[0] = '\0';
	fclose(f);
	state = strrchr(line, ')');	/* after its name */
	return state == NULL || strncmp(state, ") Z", 3) == 0 ||
	    strncmp(state, ") X", 3) == 0;
}

static void
wait_gone(pid_t pid)
{
	struct timespec step = { 0, 10000000 };
	int i;

	for (i = 0; i < 3000 && pid > 0 && !is_gone(pid); i++)
		nanosleep(&step, NULL);
}

static int
tear_down(void **state)
{
	pid_t pid = daemon_pid();

	(void)state;
	if (pid > 0 && kill(pid, SIGTERM) == 0)
		wait_gone(pid);
	fixture_rmdir(top);
	return 0;
}

/* Runs the daemon's program; returns its exit status, and its output in ${output}. */
static int
call(const char *arguments)
{
	char command[600];
	size_t n;
	FILE *f;
	int rc;

	snprintf(command, sizeof(command), "timeout 20 %s %s 2>&1", DAEMON,
	    arguments);
	if ((f = popen(command, "r")) == NULL)
		return -1;
	n = fread(output, 1, sizeof(output) - 1, f);
	output[n] = '\0';
	rc = pclose(f);
	return WIFEXITED(rc) ? WEXITSTATUS(rc) : -1;
}

static int
dial(const char *name)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%.80s/%.20s", runtime, name);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	close(fd);
	return -1;
}

static bool
listens(const char *name)
{
	int fd = dial(name);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

TEST_WITH(options, set_up, tear_down)
{
	assert_int_equal(call("--version"), 0);
	assert_non_null(strstr(output, "cudadvised "));
	assert_int_equal(call("--help"), 0);
	assert_non_null(strstr(output, "usage:"));
	assert_int_equal(call("--nonsense"), 2);
	assert_non_null(strstr(output, "usage:"));
	assert_int_equal(call("extra"), 2);
	assert_non_null(strstr(output, "'extra'"));
	assert_int_equal(call("--port 0"), 2);
	assert_int_equal(call("--port 70000"), 2);
	assert_int_equal(call("--port 80x"), 2);
	assert_int_equal(call("--port 8000 --no-tcp"), 2);
	assert_int_equal(call("--config /nonexistent"), 1);
	assert_non_null(strstr(output, "/nonexistent"));
}

/* When the program returns, the daemon listens; SIGTERM ends it and leaves no
 * files behind. */
TEST_WITH(starts_and_stops, set_up, tear_down)
{
	struct stat st;
	char name[300];
	pid_t pid;

	assert_int_equal(call(""), 0);
	assert_string_equal(output, "");
	assert_true(listens("ingest.sock"));
	assert_true(listens("api.sock"));
	assert_int_equal(stat(runtime, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	pid = daemon_pid();
	assert_int_equal(kill(pid, SIGTERM), 0);
	wait_gone(pid);
	assert_true(is_gone(pid));
	assert_false(listens("ingest.sock"));
	snprintf(name, sizeof(name), "%s/cudadvised.pid", runtime);
	assert_int_equal(access(name, F_OK), -1);
	snprintf(name, sizeof(name), "%s/ingest.sock", runtime);
	assert_int_equal(access(name, F_OK), -1);
}

TEST_WITH(second_daemon_names_the_first, set_up, tear_down)
{
	char pid[32], elsewhere[300];

	assert_int_equal(call(""), 0);
	snprintf(pid, sizeof(pid), "pid %d", (int)daemon_pid());
	assert_int_equal(call(""), EX_TEMPFAIL);
	assert_non_null(strstr(output, pid));
	assert_non_null(strstr(output, "daemon stop"));
	assert_int_equal(call("--foreground"), 1);
	assert_non_null(strstr(output, pid));
	/* Another runtime directory with the same database. */
	snprintf(elsewhere, sizeof(elsewhere), "%s/other", top);
	setenv("CUDADVISE_RUNTIME_DIR", elsewhere, 1);
	assert_int_equal(call(""), EX_TEMPFAIL);
	assert_non_null(strstr(output, pid));
	setenv("CUDADVISE_RUNTIME_DIR", runtime, 1);
	assert_true(listens("ingest.sock"));
}

/* The files of a killed daemon (socket, pid file) do not disturb the next one,
 * and everything that it had acknowledged is there. */
TEST_WITH(killed_daemon, set_up, tear_down)
{
	struct fixture f;
	char name[400];
	uint8_t ack[64];
	struct stat st;
	pid_t pid;
	int fd, status, tries = 0;

	assert_int_equal(call(""), 0);
	fixture_init(&f, 5);
	fixture_process(&f, FIXTURE_RUN, 1, 40, 20);
	fd = dial("ingest.sock");
	assert_int_equal(send(fd, f.file, f.len, 0), f.len);
	assert_int_equal(recv(fd, ack, sizeof(ack), MSG_WAITALL),
	    sizeof(ack));
	pid = daemon_pid();
	kill(pid, SIGKILL);
	wait_gone(pid);
	close(fd);
	/* The kernel may close a killed process's files, and so release its
	 * lock, a little later: "another daemon is ~". */
	while ((status = call("")) == EX_TEMPFAIL && tries++ < 100)
		usleep(20000);
	assert_int_equal(status, 0);
	assert_int_not_equal(daemon_pid(), pid);
	assert_true(listens("ingest.sock"));
	assert_true(listens("api.sock"));
	snprintf(name, sizeof(name), "%s/runs/%s/capture.cadv", state_dir,
	    FIXTURE_RUN);
	assert_int_equal(stat(name, &st), 0);
	assert_true(st.st_size > 0);
	fixture_free(&f);
}

/* The database is locked, so that every thread of the daemon waits for it, for
 * longer than this test does. */
TEST_WITH(ends_whatever_it_does, set_up, tear_down)
{
	struct timespec pause = { 0, 500000000 };
	char name[300], uuid[33];
	struct fixture f;
	sqlite3 *raw;
	int fd[6], i;
	pid_t pid;

	assert_int_equal(call(""), 0);
	pid = daemon_pid();
	snprintf(name, sizeof(name), "%s/cudadvise.db", state_dir);
	assert_int_equal(sqlite3_open(name, &raw), SQLITE_OK);
	assert_int_equal(sqlite3_exec(raw, "BEGIN EXCLUSIVE", NULL, NULL,
	    NULL), SQLITE_OK);
	for (i = 0; i < 6; i++) {
		fixture_init(&f, 5);
		snprintf(uuid, sizeof(uuid), "%032x", i + 1);
		fixture_hello(&f, uuid, 1);
		fixture_flush(&f);
		fd[i] = dial("ingest.sock");
		assert_int_equal(send(fd[i], f.file, f.len, 0), f.len);
		fixture_free(&f);
	}
	nanosleep(&pause, NULL);
	assert_int_equal(kill(pid, SIGTERM), 0);
	wait_gone(pid);
	assert_true(is_gone(pid));
	sqlite3_exec(raw, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_close(raw);
	for (i = 0; i < 6; i++)
		close(fd[i]);
	assert_int_equal(call(""), 0);
	assert_true(listens("api.sock"));
}

TEST_WITH(newer_database, set_up, tear_down)
{
	char name[300];
	sqlite3 *raw;

	mkdir(state_dir, 0700);
	snprintf(name, sizeof(name), "%s/cudadvise.db", state_dir);
	assert_int_equal(sqlite3_open(name, &raw), SQLITE_OK);
	sqlite3_exec(raw, "PRAGMA user_version = 999", NULL, NULL, NULL);
	sqlite3_close(raw);
	assert_int_equal(call(""), 1);
	assert_non_null(strstr(output, "newer version"));
	assert_non_null(strstr(output, "cudadvise.db"));
}

TEST_WITH(bad_configuration, set_up, tear_down)
{
	char name[300];
	FILE *f;

	snprintf(name, sizeof(name), "%s/cudadvise", top);
	mkdir(name, 0700);
	snprintf(name, sizeof(name), "%s/cudadvise/cudadvised.conf", top);
	f = fopen(name, "w");
	fputs("[http]\nprot = 1\n", f);
	fclose(f);
	assert_int_equal(call(""), 1);
	assert_non_null(strstr(output, "cudadvised.conf:2:"));
	assert_false(listens("ingest.sock"));
}

TEST_WITH(path_too_long, set_up, tear_down)
{
	char dir[300];

	snprintf(dir, sizeof(dir), "%s/%0100d", top, 1);
	setenv("CUDADVISE_RUNTIME_DIR", dir, 1);
	assert_int_equal(call(""), 1);
	assert_non_null(strstr(output, "CUDADVISE_RUNTIME_DIR"));
	setenv("CUDADVISE_RUNTIME_DIR", runtime, 1);
}
