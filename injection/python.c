#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "python.h"
#include "python_walk.h"

typedef int initialized_fn(void);
typedef void *this_thread_fn(void);
typedef const char *dump_fn(int fd, void *thread);

static struct {
	_Atomic bool there;
	bool walks;			/* python_walk.h reads the frames; else
					 * CPython prints them */
	initialized_fn *initialized;
	initialized_fn *finalizing;	/* may be missing */
	this_thread_fn *this_thread;
	dump_fn *dump;
} python;

static void
look_up(void)
{

	*(void **)&python.initialized = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
	if (python.initialized == NULL)
		return;
	*(void **)&python.this_thread = dlsym(RTLD_DEFAULT,
	    "PyGILState_GetThisThreadState");
	*(void **)&python.finalizing = dlsym(RTLD_DEFAULT, "Py_IsFinalizing");
	if (python.finalizing == NULL)
		*(void **)&python.finalizing = dlsym(RTLD_DEFAULT,
		    "_Py_IsFinalizing");
	/* CPython 3.15 has the public name, versions up to 3.12 have the private
	 * one. */
	*(void **)&python.dump = dlsym(RTLD_DEFAULT,
	    "PyUnstable_DumpTraceback");
	if (python.dump == NULL)
		*(void **)&python.dump = dlsym(RTLD_DEFAULT,
		    "_Py_DumpTraceback");
	if (python.dump == NULL)
		python.walks = python_walk_find();
	atomic_store_explicit(&python.there, python.this_thread != NULL &&
	    (python.dump != NULL || python.walks), memory_order_release);
}

void
python_find(void)
{

	if (atomic_load_explicit(&python.there, memory_order_relaxed))
		return;
	look_up();
	/* Clears the error that a missing symbol left: the first call returns it, the
	 * second NULL. */
	dlerror();
	dlerror();
}

void *
python_thread(void)
{

	if (!atomic_load_explicit(&python.there, memory_order_acquire) ||
	    !python.initialized() ||
	    (python.finalizing != NULL && python.finalizing()))
		return NULL;
	return python.this_thread();
}

/* Reads the decimal number at ${p}. Returns its end; NULL if there is no number, or it
 * is over 100 million. */
static const char *
number(const char *p, const char *end, unsigned long *n)
{
	const char *first = p;

	for (*n = 0; p < end && *p >= '0' && *p <= '9'; p++)
		if ((*n = *n * 10 + (unsigned long)(*p - '0')) > 100000000)
			return NULL;
	return p > first ? p : NULL;
}

/* The last occurrence of ${what} in [p, end). */
static const char *
last(const char *p, const char *end, const char *what)
{
	size_t n = strlen(what);
	const char *found = NULL;

	while (p + n <= end && (p = memmem(p, (size_t)(end - p), what,
	    n)) != NULL)
		found = p++;
	return found;
}

/* Converts '  File "F", line N in NAME' in [p, end) to "F\tN\tNAME\n" in ${out}, which
 * may overlap: the result is shorter. Returns the bytes written; 0 for any other line.
 * (CPython prints a file without a name as ???, without quotes.) */
static size_t
parse_line(const char *p, const char *end, char *out)
{
	static const char begin[] = "  File \"", middle[] = "\", line ",
	    in[] = " in ";
	const char *mid, *line, *name;
	size_t file, digits, n;
	unsigned long v;

	if ((size_t)(end - p) < sizeof(begin) - 1 ||
	    memcmp(p, begin, sizeof(begin) - 1) != 0)
		return 0;
	p += sizeof(begin) - 1;
	if ((mid = last(p, end, middle)) == NULL)
		return 0;
	line = mid + sizeof(middle) - 1;
	if ((name = number(line, end, &v)) == NULL ||
	    (size_t)(end - name) < sizeof(in) - 1 ||
	    memcmp(name, in, sizeof(in) - 1) != 0)
		return 0;
	file = (size_t)(mid - p);
	digits = (size_t)(name - line);
	name += sizeof(in) - 1;
	n = (size_t)(end - name);
	if (file == 0 || n == 0)
		return 0;
	memmove(out, p, file);
	out[file] = '\t';
	memmove(out + file + 1, line, digits);
	out[file + digits + 1] = '\t';
	memmove(out + file + digits + 2, name, n);
	out[file + digits + n + 2] = '\n';
	return file + digits + n + 3;
}

size_t
python_parse(char *text, size_t len)
{
	const char *p = text, *stop = text + len, *end;
	size_t used = 0;

	/* A line that was cut has no end. */
	for (; p < stop && (end = memchr(p, '\n', (size_t)(stop - p))) != NULL;
	    p = end + 1)
		if (memchr(p, '\t', (size_t)(end - p)) == NULL)
			used += parse_line(p, end, text + used);
	return used;
}

size_t
python_frames(char *out, size_t size)
{
	int p[2], saved = errno;
	size_t len = 0;
	ssize_t n;
	void *thread;

	thread = python_thread();
	if (thread != NULL && python.walks)
		len = python_walk(thread, out, size);
	if (thread == NULL || python.walks ||
	    pipe2(p, O_CLOEXEC | O_NONBLOCK) != 0) {
		errno = saved;
		return len;
	}
	python.dump(p[1], thread);
	while (len < size && (n = read(p[0], out + len, size - len)) > 0)
		len += (size_t)n;
	close(p[0]);
	close(p[1]);
	errno = saved;
	return python_parse(out, len);
}
