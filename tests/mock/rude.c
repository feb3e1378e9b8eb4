/*
 * rude.c: programs that do to their process what programs do, and that say
 * whether they find it as they made it. Like target.c they drive the mock as a
 * CUDA program drives the driver; what each prints is in host.bats.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mock.h"

#define KERNELS 8
#define NUMBERS 4096	/* of descriptors that are looked at */
#define FILES 40	/* of the program's own, in its lowest numbers */

static struct mock_function function[KERNELS];
static struct mock_context *context;

static void
launch(unsigned long n)
{
	unsigned i = (unsigned)(n % KERNELS);
	struct mock_launch l = { .function = &function[i],
	    .grid = { i + 1, 1, 1 }, .block = { 64, 1, 1 } };

	if (mock_kernel_launch(context, &l) != 0) {
		fprintf(stderr, "rude: a launch failed\n");
		_exit(99);
	}
}

static void
launches(unsigned long n, unsigned long pause_us)
{
	struct timespec t = { 0, (long)pause_us * 1000 };
	unsigned long i;

	for (i = 0; i < n; i++) {
		launch(i);
		if (pause_us > 0)
			nanosleep(&t, NULL);
	}
}

static void
begin(void)
{
	const char *why = "";
	unsigned i;

	for (i = 0; i < KERNELS; i++) {
		snprintf(function[i].name, sizeof(function[i].name),
		    "_Z7kernel%uPf", i);
		function[i].regs = 32;
		function[i].duration_ns = 2000;
	}
	if (mock_init(&why) < 0)
		fprintf(stderr, "rude: %s\n", why);
	context = mock_context_create(0);
}

/* A file of the program's own under the number ${fd}. */
static void
own_file(int fd)
{
	char name[32], text[32];
	int f, n;

	snprintf(name, sizeof(name), "own.%d", fd);
	n = snprintf(text, sizeof(text), "this is file %d\n", fd);
	f = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (f == -1 || (f != fd && dup2(f, fd) != fd) ||
	    write(fd, text, (size_t)n) != n) {
		fprintf(stderr, "rude: %s: %s\n", name, strerror(errno));
		exit(98);
	}
	if (f != fd)
		close(f);
}

/* Is it open and does it hold what was written? */
static int
is_exact(int fd)
{
	char want[32], got[64];
	int n = snprintf(want, sizeof(want), "this is file %d\n", fd);

	return (pread(fd, got, sizeof(got), 0) == n &&
	    memcmp(want, got, (size_t)n) == 0);
}

/* Closes all descriptors it did not open, as a daemon does, and has files of
 * its own under their numbers. */
static void
rude_files(void)
{
	static char mine[NUMBERS];
	int fd, files = 0, exact = 0;

	begin();
	launches(400, 1000);
	for (fd = 3; fd < NUMBERS; fd++)
		mine[fd] = fcntl(fd, F_GETFD) != -1 || fd < 3 + FILES;
	for (fd = 3; fd < NUMBERS; fd++)
		close(fd);
	for (fd = 3; fd < NUMBERS; fd++)
		if (mine[fd])
			own_file(fd);
	launches(4000, 500);
	for (fd = 3; fd < NUMBERS; fd++)
		if (mine[fd]) {
			files++;
			exact += is_exact(fd);
		}
	printf("%s: %d files\n", files == exact ? "exact" : "CHANGED", files);
}

static const struct {
	const char *name;
	void (*run)(void);
} table[] = {
	{ "files", rude_files },
};

int
main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc == 2 && i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(argv[1], table[i].name) == 0) {
			table[i].run();
			return (0);
		}
	fprintf(stderr, "usage: mock-rude WHAT\n");
	return (2);
}
