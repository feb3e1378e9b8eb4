#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>
#include <gelf.h>

#include "base/error.h"
#include "base/sort.h"
#include "capture/symbol_debug.h"
#include "capture/symbol_file.h"

#define DEBUG_ROOT "/usr/lib/debug"
#define SECTIONS 65536u

struct symbol_file {
	int fd, debug_fd;
	Elf *elf, *debug_elf;	/* debug_elf: the separate file, or NULL */
	Elf *symbols;		/* the file with the symbol table */
	struct symbol_debug *debug;	/* NULL: no debug information */
};

/* Which of its sections a file has, within the size limits. */
struct contents {
	bool symbols, debug;
};

/* --- opening ------------------------------------------------------------- */

static int
open_regular(const char *path, struct stat *st, struct error *e)
{
	int fd;

	/* stat first: opening a device can have side effects. */
	if (stat(path, st) != 0)
		return error_set(e, "cannot read '%s':", path);
	if (!S_ISREG(st->st_mode))
		return error_set(e, "'%s' is not a regular file", path);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return error_set(e, "cannot read '%s':", path);
	if (fstat(fd, st) != 0 || !S_ISREG(st->st_mode) ||
	    (uint64_t)st->st_size > SYMBOL_FILE_BYTES) {
		close(fd);
		return error_set(e, "'%s' is not a regular file of a "
		    "reasonable size", path);
	}
	return fd;
}

static bool
same_build(Elf *elf, const uint8_t *id, size_t len)
{
	const void *own = NULL;
	ssize_t n = dwelf_elf_gnu_build_id(elf, &own);

	return n > 0 && (size_t)n == len && memcmp(own, id, len) == 0;
}

static bool
is_identity(Elf *elf, const struct stat *st, const struct symbol_identity *id)
{
	const void *own;

	if (id->build_id_len > 0)
		return same_build(elf, id->build_id, id->build_id_len);
	if (dwelf_elf_gnu_build_id(elf, &own) > 0)
		return false;
	return id->before_ns == 0 || (uint64_t)st->st_mtim.tv_sec *
	    1000000000ull + (uint64_t)st->st_mtim.tv_nsec < id->before_ns;
}

/* The uncompressed size of a section. */
static uint64_t
section_size(Elf_Scn *scn, const GElf_Shdr *sh)
{
	GElf_Chdr ch;

	if (!(sh->sh_flags & SHF_COMPRESSED))
		return sh->sh_size;
	return gelf_getchdr(scn, &ch) != NULL ? ch.ch_size : UINT64_MAX;
}

/* Whether the file has a symbol table and debug information, within the size limits. */
static struct contents
contents_of(Elf *elf, uint64_t bytes)
{
	struct contents c = { false, false }, none = { false, false };
	uint64_t debug = 0, size;
	Elf_Scn *scn = NULL;
	size_t names, n = 0;
	const char *name;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return none;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		if (n++ >= SECTIONS || gelf_getshdr(scn, &sh) == NULL)
			return none;
		if (sh.sh_type == SHT_NOBITS)
			continue;
		if (sh.sh_size > bytes)
			return none;
		if (sh.sh_type == SHT_SYMTAB)
			c.symbols = sh.sh_size <= SYMBOL_TABLE_BYTES;
		if ((name = elf_strptr(elf, names, sh.sh_name)) == NULL)
			continue;
		/* The old compression format does not tell the size in the section
		 * header. */
		if (strncmp(name, ".zdebug", 7) == 0)
			return (struct contents){ c.symbols, false };
		if (strncmp(name, ".debug_", 7) != 0)
			continue;
		size = section_size(scn, &sh);
		debug = size > SYMBOL_DEBUG_BYTES ? UINT64_MAX / 2 :
		    debug + size;
		if (debug > SYMBOL_DEBUG_BYTES)
			return (struct contents){ c.symbols, false };
		c.debug |= strcmp(name, ".debug_info") == 0;
	}
	return c;
}

/* Uses ${path} as the separate debug file if it has the right build id. */
static bool
try_separate(struct symbol_file *f, const char *path, const uint8_t *id,
    size_t len)
{
	struct contents c;
	struct stat st;
	Elf *elf = NULL;
	int fd;

	if ((fd = open_regular(path, &st, NULL)) < 0)
		return false;
	if ((elf = elf_begin(fd, ELF_C_READ, NULL)) == NULL ||
	    elf_kind(elf) != ELF_K_ELF || !same_build(elf, id, len))
		goto no;
	c = contents_of(elf, (uint64_t)st.st_size);
	if (!c.symbols && !c.debug)
		goto no;
	f->debug_fd = fd;
	f->debug_elf = elf;
	if (c.symbols && f->symbols == NULL)
		f->symbols = elf;
	if (c.debug)
		f->debug = symbol_debug_open(elf);
	return true;
no:
	elf_end(elf);
	close(fd);
	return false;
}

/* Looks for the separate debug file by build id and by the file's debug link, in the
 * directories that debuggers search. The build id has to match in both cases. */
static void
find_separate(struct symbol_file *f, const char *path)
{
	char hex[2 * 64 + 1], at[PATH_MAX];
	const char *link, *slash = strrchr(path, '/');
	const void *own = NULL;
	const uint8_t *id;
	GElf_Word crc;
	ssize_t len = dwelf_elf_gnu_build_id(f->elf, &own), i;
	int dir = slash != NULL ? (int)(slash - path) : 0;

	if (len < 2 || len > 64)
		return;
	id = own;
	for (i = 0; i < len; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	if (snprintf(at, sizeof(at), DEBUG_ROOT "/.build-id/%.2s/%s.debug",
	    hex, hex + 2) < PATH_MAX && try_separate(f, at, id, (size_t)len))
		return;
	link = dwelf_elf_gnu_debuglink(f->elf, &crc);
	if (link == NULL || *link == '\0' || strchr(link, '/') != NULL)
		return;
	if ((snprintf(at, sizeof(at), "%.*s/.debug/%s", dir, path, link) <
	    PATH_MAX && try_separate(f, at, id, (size_t)len)) ||
	    (snprintf(at, sizeof(at), "%.*s/%s", dir, path, link) <
	    PATH_MAX && try_separate(f, at, id, (size_t)len)))
		return;
	if (snprintf(at, sizeof(at), DEBUG_ROOT "%.*s/%s", dir, path, link) <
	    PATH_MAX)
		try_separate(f, at, id, (size_t)len);
}

struct symbol_file *
symbol_file_open(const char *path, const struct symbol_identity *id,
    struct error *e)
{
	struct symbol_file *f = calloc(1, sizeof(*f));
	struct contents c;
	struct stat st;

	if (f == NULL) {
		error_memory(e);
		return NULL;
	}
	f->debug_fd = -1;
	elf_version(EV_CURRENT);
	if (path[0] != '/') {
		f->fd = -1;
		error_set(e, "'%.200s' is not a regular file", path);
		goto fail;
	}
	if ((f->fd = open_regular(path, &st, e)) < 0)
		goto fail;
	f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
	if (f->elf == NULL || elf_kind(f->elf) != ELF_K_ELF) {
		error_set(e, "'%s' is not an ELF file", path);
		goto fail;
	}
	if (!is_identity(f->elf, &st, id)) {
		error_set(e, "'%s' is not the file that ran", path);
		goto fail;
	}
	c = contents_of(f->elf, (uint64_t)st.st_size);
	if (c.symbols)
		f->symbols = f->elf;
	if (c.debug)
		f->debug = symbol_debug_open(f->elf);
	if (f->debug == NULL)
		find_separate(f, path);
	return f;
fail:
	symbol_file_close(f);
	return NULL;
}

void
symbol_file_close(struct symbol_file *f)
{

	if (f == NULL)
		return;
	symbol_debug_close(f->debug);
	elf_end(f->debug_elf);
	elf_end(f->elf);
	if (f->debug_fd >= 0)
		close(f->debug_fd);
	if (f->fd >= 0)
		close(f->fd);
	free(f);
}

/* --- the symbol table -------------------------------------------------------- */

int
symbol_file_address(const struct symbol_file *f, uint64_t offset,
    uint64_t *address)
{
	GElf_Phdr ph;
	size_t i, n;

	if (elf_getphdrnum(f->elf, &n) != 0)
		return -1;
	for (i = 0; i < n && i < SECTIONS; i++) {
		if (gelf_getphdr(f->elf, (int)i, &ph) == NULL)
			return -1;
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X) ||
		    offset < ph.p_offset || offset - ph.p_offset >= ph.p_filesz)
			continue;
		*address = offset - ph.p_offset + ph.p_vaddr;
		return 0;
	}
	return -1;
}

/* The index of the first address at or after ${at}. */
static size_t
first_from(const struct symbol_name *s, size_t n, uint64_t at)
{

	return FIRST_NOT(mid, 0, n, s[mid].address < at);
}

/* Whether a symbol is a better name than the one so far: one with a length is better
 * than one without, an inner one better than the one around it, a global one better
 * than a local one. */
static bool
better(const struct symbol_name *old, uint64_t start, uint8_t rank)
{

	if (old->name == NULL || (old->rank & 4) != (rank & 4))
		return old->name == NULL || (rank & 4) != 0;
	if (start != old->start)
		return start > old->start;
	return rank > old->rank;
}

static void
offer(Elf *elf, size_t strings, const GElf_Sym *sym, struct symbol_name *s,
    size_t n)
{
	uint64_t end = sym->st_value + sym->st_size;
	int bind = GELF_ST_BIND(sym->st_info);
	uint8_t rank = (uint8_t)((sym->st_size > 0 ? 4 : 0) +
	    (bind == STB_GLOBAL ? 2 : bind == STB_WEAK ? 1 : 0));
	const char *name = NULL;
	size_t i;

	if (sym->st_size > 0 && end < sym->st_value)
		return;
	for (i = first_from(s, n, sym->st_value); i < n &&
	    (sym->st_size == 0 || s[i].address < end); i++) {
		if (!better(&s[i], sym->st_value, rank))
			continue;
		if (name == NULL && (name = elf_strptr(elf, strings,
		    sym->st_name)) == NULL)
			return;
		s[i].name = name;
		s[i].start = sym->st_value;
		s[i].rank = rank;
		s[i].vague = sym->st_size == 0;
	}
}

void
symbol_file_names(struct symbol_file *f, struct symbol_name *s, size_t n)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr sh;
	GElf_Sym sym;
	size_t i, count;
	int type;

	if (f->symbols == NULL)
		return;
	while ((scn = elf_nextscn(f->symbols, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) != NULL && sh.sh_type == SHT_SYMTAB)
			break;
	if (scn == NULL || (data = elf_getdata(scn, NULL)) == NULL ||
	    sh.sh_entsize == 0)
		return;
	count = data->d_size / sh.sh_entsize;
	for (i = 1; i < count && i <= INT_MAX; i++) {
		if (gelf_getsym(data, (int)i, &sym) == NULL)
			break;
		type = GELF_ST_TYPE(sym.st_info);
		if (sym.st_shndx != SHN_UNDEF && (type == STT_FUNC ||
		    type == STT_GNU_IFUNC || (type == STT_NOTYPE &&
		    sym.st_size > 0)))
			offer(f->symbols, sh.sh_link, &sym, s, n);
	}
}

/* --- debug information -------------------------------------------------------- */

size_t
symbol_file_places(struct symbol_file *f, uint64_t address,
    struct symbol_place *p, uint64_t deadline)
{

	return f->debug == NULL ? 0 : symbol_debug_places(f->debug, address,
	    p, deadline);
}
