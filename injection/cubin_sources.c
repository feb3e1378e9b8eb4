#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elf.h>

#include "emit.h"
#include "cubin_sources.h"

#define FILE_MAX (1u << 20)
#define FILES_MAX 512u
#define BYTES_MAX (16u << 20)
#define PIECE (128u << 10)
#define DIRS_MAX 1024u

static struct {
	uint64_t path[FILES_MAX];	/* hashes of the files seen so far */
	uint32_t paths;
	uint64_t bytes;
} seen;

/* A cursor over untrusted bytes: reading past the end returns 0 and sets ${bad}. */
struct cursor {
	const uint8_t *p, *end;
	bool bad;
};

static uint64_t
read_int(struct cursor *c, unsigned bytes)
{
	uint64_t v = 0;
	unsigned i;

	if ((size_t)(c->end - c->p) < bytes) {
		c->bad = true;
		return 0;
	}
	for (i = 0; i < bytes; i++)
		v |= (uint64_t)c->p[i] << 8 * i;
	c->p += bytes;
	return v;
}

static uint64_t
read_uleb(struct cursor *c)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t b;

	do {
		b = (uint8_t)read_int(c, 1);
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
	} while (!c->bad && (b & 0x80));
	return v;
}

static const char *
read_text(struct cursor *c)
{
	const char *s = (const char *)c->p;
	const uint8_t *end = memchr(c->p, 0, (size_t)(c->end - c->p));

	if (end == NULL) {
		c->bad = true;
		return "";
	}
	c->p = end + 1;
	return s;
}

static uint64_t
fnv(uint64_t h, const void *data, size_t size)
{
	const uint8_t *p = data;
	size_t i;

	for (i = 0; i < size; i++)
		h = (h ^ p[i]) * 1099511628211ull;
	return h;
}

#define FNV_START 14695981039346656037ull

static bool
first_time(const char *path)
{
	uint64_t h = fnv(FNV_START, path, strlen(path));
	uint32_t i;

	for (i = 0; i < seen.paths; i++)
		if (seen.path[i] == h)
			return false;
	if (seen.paths == FILES_MAX)
		return false;
	seen.path[seen.paths++] = h;
	return true;
}

/* The contents of a regular file of at most FILE_MAX bytes, malloced; NULL
 * otherwise. */
static char *
read_file(const char *path, size_t *size)
{
	char *text = NULL;
	struct stat sb;
	ssize_t n;
	size_t have = 0;
	int fd;

	/* Not blocking: a line table could name a pipe. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd == -1)
		return NULL;
	if (fstat(fd, &sb) != 0 || !S_ISREG(sb.st_mode) ||
	    sb.st_size > (off_t)FILE_MAX ||
	    (text = malloc((size_t)sb.st_size + 1)) == NULL)
		goto out;
	while (have < (size_t)sb.st_size && (n = read(fd, text + have,
	    (size_t)sb.st_size - have)) > 0)
		have += (size_t)n;
	*size = have;
out:
	close(fd);
	return text;
}

/* Whether the file is a header of the toolkit or the system. These are large and
 * available elsewhere, so only their names are sent. */
static bool
is_system(const char *path)
{

	return strncmp(path, "/usr/include/", 13) == 0 ||
	    strncmp(path, "/usr/lib/", 9) == 0 ||
	    (strstr(path, "/targets/") != NULL &&
	    strstr(path, "/include/") != NULL);
}

static void
send_file(const char *path)
{
	struct record_BYTES b = { .kind = BYTES_SOURCE };
	struct record_SOURCE r = { .path = wire_str_of(path) };
	size_t size = 0;
	char *text;

	if (!first_time(path))
		return;
	text = seen.bytes < BYTES_MAX && !is_system(path) ?
	    read_file(path, &size) : NULL;
	r.size = size;
	r.flags = text == NULL ? SOURCE_WITHHELD : 0;
	r.id = fnv(fnv(FNV_START, path, strlen(path) + 1), text, size);
	EMIT(SOURCE, &r);
	seen.bytes += size;
	b.id = r.id;
	for (b.offset = 0; b.offset < size; b.offset += b.data.len) {
		b.data.p = (const uint8_t *)text + b.offset;
		b.data.len = size - b.offset < PIECE ?
		    (uint32_t)(size - b.offset) : PIECE;
		EMIT(BYTES, &b);
	}
	free(text);
}

static bool
ends_in_slash(const char *s)
{
	size_t n = strlen(s);

	return n > 0 && s[n - 1] == '/';
}

/* Sends the files that one unit of a line table names, DWARF 2 to 4. */
static void
send_unit(struct cursor c)
{
	static const char *dir[DIRS_MAX];
	char path[PATH_MAX];
	const char *name;
	uint64_t d, ops, i;
	unsigned dirs = 0;
	uint16_t version = (uint16_t)read_int(&c, 2);

	read_int(&c, 4);			/* header length */
	/* Minimum instruction length (version 4: and operations),
	 * default_is_stmt, line_base, line_range. */
	read_int(&c, version >= 4 ? 5 : 4);
	ops = read_int(&c, 1);
	if (c.bad || version < 2 || version > 4)
		return;
	for (i = 1; i < ops && !c.bad; i++)
		read_int(&c, 1);
	while (!c.bad && *(name = read_text(&c)) != '\0')
		if (dirs < DIRS_MAX)
			dir[dirs++] = name;
	while (!c.bad && *(name = read_text(&c)) != '\0') {
		d = read_uleb(&c);
		read_uleb(&c);			/* time */
		read_uleb(&c);			/* size */
		if (c.bad)
			break;
		if (name[0] == '/' || d == 0 || d > dirs)
			snprintf(path, sizeof(path), "%s", name);
		else
			snprintf(path, sizeof(path), "%s%s%s", dir[d - 1],
			    ends_in_slash(dir[d - 1]) ? "" : "/", name);
		send_file(path);
	}
}

static void
send_table(const uint8_t *p, size_t size)
{
	struct cursor c = { p, p + size, false }, unit;
	uint64_t length;

	while ((size_t)(c.end - c.p) > 4) {
		length = read_int(&c, 4);
		if (length == 0xffffffff || length > (size_t)(c.end - c.p))
			return;
		unit = c;
		unit.end = c.p + length;
		send_unit(unit);
		c.p += length;
	}
}

void
cubin_sources_send(const uint8_t *image, size_t size)
{
	const char *names, *name;
	const Elf64_Shdr *s;
	Elf64_Ehdr h;
	size_t i, names_size;

	if (size < sizeof(h) || memcmp(image, ELFMAG, SELFMAG) != 0)
		return;
	memcpy(&h, image, sizeof(h));
	if (h.e_shentsize != sizeof(*s) || h.e_shoff > size ||
	    h.e_shoff % _Alignof(Elf64_Shdr) != 0 ||
	    (size - h.e_shoff) / sizeof(*s) < h.e_shnum ||
	    h.e_shstrndx >= h.e_shnum)
		return;
	s = (const Elf64_Shdr *)(const void *)(image + h.e_shoff);
	if (s[h.e_shstrndx].sh_offset > size ||
	    s[h.e_shstrndx].sh_size > size - s[h.e_shstrndx].sh_offset)
		return;
	names = (const char *)image + s[h.e_shstrndx].sh_offset;
	names_size = s[h.e_shstrndx].sh_size;
	for (i = 0; i < h.e_shnum; i++) {
		name = names + s[i].sh_name;
		if (s[i].sh_name >= names_size ||
		    names_size - s[i].sh_name < sizeof(".debug_line") ||
		    memcmp(name, ".debug_line", sizeof(".debug_line")) != 0 ||
		    s[i].sh_offset > size ||
		    s[i].sh_size > size - s[i].sh_offset)
			continue;
		send_table(image + s[i].sh_offset, s[i].sh_size);
	}
}
