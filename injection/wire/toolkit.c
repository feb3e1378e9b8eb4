#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toolkit.h"
#include "toolkits.h"

/* The toolkits this was built with, newest first. CMake writes toolkits.h. */
static const struct {
	unsigned major;
	int version;		/* CUDA_VERSION of its headers */
	const char *cupti;	/* its library file; "": none */
} built[] = {
#define X(major, version, cupti) { major, version, cupti },
	TOOLKITS(X)
#undef X
	{ 0, 0, "" }
};

/* The first driver branch for each version of CUDA, from "CUDA Toolkit and
 * Corresponding Driver Versions" in the toolkit's release notes. */
static const struct {
	unsigned branch;
	int version;
} branches[] = {
	{ 580, 13000 }, { 575, 12090 }, { 570, 12080 }, { 565, 12070 },
	{ 560, 12060 }, { 555, 12050 }, { 550, 12040 }, { 545, 12030 },
	{ 535, 12020 }, { 530, 12010 }, { 525, 12000 }, { 450, 11000 },
};

uint32_t
toolkit_bit(unsigned major)
{

	return major < TOOLKIT_OLDEST || major > TOOLKIT_NEWEST ? 0 :
	    1u << (major - TOOLKIT_OLDEST);
}

unsigned
toolkit_major(uint32_t api)
{

	if (api >= 10000)
		return api / 10000;
	return api >= 19 ? 12 : 11;	/* 18 is CUDA 11.8, 19 is 12.0 */
}

int
toolkit_driver(const char *line)
{
	unsigned long n = 0;
	char *end;
	size_t i;

	/* The first word that begins with a number and a full stop. */
	for (; *line != '\0'; line += strcspn(line, " \t"),
	    line += strspn(line, " \t")) {
		n = strtoul(line, &end, 10);
		if (end != line && *end == '.')
			break;
		n = 0;
	}
	for (i = 0; i < sizeof(branches) / sizeof(branches[0]); i++)
		if (n >= branches[i].branch)
			return branches[i].version;
	return 0;
}

size_t
toolkit_order(const struct toolkit_facts *f, unsigned order[TOOLKIT_MAJORS])
{
	unsigned major, newest = TOOLKIT_NEWEST;
	size_t n = 0;

	/* A process can have only one CUPTI, whatever the driver. */
	if (f->loaded != 0) {
		if (f->built & toolkit_bit(f->loaded))
			order[n++] = f->loaded;
		return n;
	}
	if (f->driver != 0 && (unsigned)f->driver / 1000 < newest)
		newest = (unsigned)f->driver / 1000;
	for (major = newest; major >= TOOLKIT_OLDEST; major--)
		if (f->built & toolkit_bit(major))
			order[n++] = major;
	return n;
}

/* Writes "CUDA 12 and 13", or "no CUDA". */
static void
name_built(uint32_t mask, char *out, size_t size)
{
	unsigned major;
	size_t n;

	snprintf(out, size, "%s", mask != 0 ? "CUDA" : "no CUDA");
	for (major = TOOLKIT_OLDEST; major <= TOOLKIT_NEWEST; major++)
		if (mask & toolkit_bit(major)) {
			n = strlen(out);
			snprintf(out + n, size - n, "%s %u", n > 4 ? " and" : "",
			    major);
		}
}

void
toolkit_refusal(const struct toolkit_facts *f, char *text, size_t size)
{
	char there[64];

	name_built(f->built, there, sizeof(there));
	if (f->loaded != 0)
		snprintf(text, size, "the program brings CUPTI of CUDA %u, and "
		    "two cannot be in one process: cudadvise was built for "
		    "%s", f->loaded, there);
	else
		snprintf(text, size, "the driver serves CUDA %d.%d: cudadvise "
		    "was built for %s", f->driver / 1000,
		    f->driver % 1000 / 10, there);
}

void
toolkit_remedy(const struct toolkit_facts *f, char *text, size_t size)
{
	unsigned want = f->loaded != 0 ? f->loaded : (unsigned)f->driver / 1000;

	if (want < TOOLKIT_OLDEST && f->loaded != 0)
		snprintf(text, size, "run the program with libraries of CUDA "
		    "%u.4 or newer", TOOLKIT_OLDEST);
	else if (want < TOOLKIT_OLDEST)
		snprintf(text, size, "update the driver: the oldest CUDA that "
		    "cudadvise can measure is %u", TOOLKIT_OLDEST);
	else
		snprintf(text, size, "build cudadvise where a toolkit of CUDA "
		    "%u%s is (cmake -D CUDADVISE_TOOLKITS=/usr/local/cuda-%u.x)"
		    "%s", want, want == 12 ? ".6 or newer" : "", want,
		    f->loaded != 0 ? "" : ", or update the driver");
}

unsigned
toolkit_built(void)
{

	return built[0].major;
}

int
toolkit_sibling(const char *path, unsigned major, char *out, size_t size)
{
	const char *base = strrchr(path, '/');
	int folder = base != NULL ? (int)(base - path) + 1 : 0;
	int n = snprintf(out, size, "%.*slibcudadvise_injection-%u.so", folder,
	    path, major);

	return n < 0 || (size_t)n >= size ? -1 : 0;
}

#define MINORS 10u		/* 12.9 was the last of its major */

struct places {
	const struct toolkit_search *search;
	toolkit_try try;
	void *cookie;
};

/* A toolkit has CUPTI in one of these two folders. */
static int
try_below(const struct places *p, const char *home)
{
	static const char *const folders[] = { "extras/CUPTI/lib64", "lib64" };
	char path[PATH_MAX];
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < sizeof(folders) / sizeof(folders[0]); i++)
		if ((size_t)snprintf(path, sizeof(path), "%s/%s/libcupti.so.%u",
		    home, folders[i], p->search->major) < sizeof(path))
			r = p->try(path, p->cookie);
	return r;
}

/* The newest version that is not newer than the driver comes first, then older ones. */
static int
try_versions(const struct places *p)
{
	const struct toolkit_search *s = p->search;
	unsigned minor = MINORS - 1;
	char home[64];
	int r = 0;

	if (s->driver != 0 && (unsigned)s->driver / 1000 == s->major &&
	    (unsigned)s->driver % 1000 / 10 < minor)
		minor = (unsigned)s->driver % 1000 / 10;
	for (; r == 0; minor--) {
		snprintf(home, sizeof(home), "/usr/local/cuda-%u.%u", s->major,
		    minor);
		r = try_below(p, home);
		if (minor == 0)
			break;
	}
	return r;
}

int
toolkit_places(const struct toolkit_search *s, toolkit_try try, void *cookie)
{
	struct places p = { s, try, cookie };
	unsigned ours = 0;
	char soname[32];
	bool fits;
	int r = 0;

	while (built[ours].major != 0 && built[ours].major != s->major)
		ours++;
	/* The CUPTI that this was built with comes first, unless it is newer than the
	 * driver. */
	fits = s->driver == 0 || built[ours].version <= s->driver;
	if (built[ours].cupti[0] != '\0' && fits)
		r = try(built[ours].cupti, cookie);
	if (r == 0 && s->home != NULL && *s->home != '\0')
		r = try_below(&p, s->home);
	if (r == 0)
		r = try_versions(&p);
	if (r == 0)
		r = try_below(&p, "/usr/local/cuda");
	if (r == 0 && built[ours].cupti[0] != '\0' && !fits)
		r = try(built[ours].cupti, cookie);
	if (r != 0)
		return r;
	/* At last, the loader's search path. */
	snprintf(soname, sizeof(soname), "libcupti.so.%u", s->major);
	return try(soname, cookie);
}
