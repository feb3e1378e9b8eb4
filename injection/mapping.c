#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire/record.h"

#include "emit.h"
#include "mapping.h"
#include "python.h"

#define MAPPINGS 2048
#define ADDRESSES (1u << 15)	/* slots of a hash table; at most half of them are used */
#define BUILD_ID_MAX 64

struct mapping {
	uint64_t start, end;
};

static struct {
	struct mapping mapping[MAPPINGS];	/* the id is the index + 1 */
	size_t mappings;
	uint64_t seen[ADDRESSES];		/* 0: free */
	size_t addresses;
} map;

/* Argument and result of visit(). */
struct look {
	uint64_t address;
	uint32_t id;		/* of the mapping that contains ${address}; 0: none */
};

/* The GNU build id in the notes of a loaded object; empty if there is none. */
static struct wire_blob
build_id(const struct dl_phdr_info *o, const ElfW(Phdr) *ph)
{
	const uint8_t *p = (const uint8_t *)o->dlpi_addr + ph->p_vaddr;
	size_t left = ph->p_memsz, align = ph->p_align == 8 ? 8 : 4, need;
	struct wire_blob none = { NULL, 0 };
	ElfW(Nhdr) n;

	while (left >= sizeof(n)) {
		memcpy(&n, p, sizeof(n));
		if (n.n_namesz > left || n.n_descsz > left)
			break;
		need = sizeof(n) + ((n.n_namesz + align - 1) & -align) +
		    ((n.n_descsz + align - 1) & -align);
		if (need > left)
			break;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 &&
		    memcmp(p + sizeof(n), "GNU", 4) == 0 &&
		    n.n_descsz <= BUILD_ID_MAX)
			return (struct wire_blob){ p + sizeof(n) + 4,
			    n.n_descsz };
		p += need;
		left -= need;
	}
	return none;
}

/* The file of a loaded object: an absolute path, "" if there is none. */
static void
object_path(const struct dl_phdr_info *o, char *out)
{
	const char *name = o->dlpi_name != NULL ? o->dlpi_name : "";
	ssize_t n;

	out[0] = '\0';
	if (name[0] == '\0') {
		n = readlink("/proc/self/exe", out, PATH_MAX - 1);
		out[n > 0 ? n : 0] = '\0';
	} else if (realpath(name, out) == NULL) {
		/* the vdso, or a deleted file */
		out[0] = '\0';
		if (strlen(name) < PATH_MAX)
			memcpy(out, name, strlen(name) + 1);
	}
}

static void
announce(const struct dl_phdr_info *o, const ElfW(Phdr) *ph, struct look *l)
{
	struct mapping *m = &map.mapping[map.mappings];
	struct record_MAPPING r = { .offset = ph->p_offset };
	char path[PATH_MAX];
	int i;

	m->start = r.start = o->dlpi_addr + ph->p_vaddr;
	m->end = r.end = r.start + ph->p_memsz;
	l->id = r.id = (uint32_t)++map.mappings;
	object_path(o, path);
	r.path = wire_str_of(path);
	for (i = 0; i < o->dlpi_phnum && r.build_id.len == 0; i++)
		if (o->dlpi_phdr[i].p_type == PT_NOTE)
			r.build_id = build_id(o, &o->dlpi_phdr[i]);
	EMIT(MAPPING, &r);
}

static int
visit(struct dl_phdr_info *o, size_t size, void *cookie)
{
	struct look *l = cookie;
	const ElfW(Phdr) *ph;
	uint64_t start;
	int i;

	(void)size;
	for (i = 0; i < o->dlpi_phnum; i++) {
		ph = &o->dlpi_phdr[i];
		start = o->dlpi_addr + ph->p_vaddr;
		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X) ||
		    l->address < start || l->address - start >= ph->p_memsz)
			continue;
		announce(o, ph, l);
		return 1;
	}
	return 0;
}

/* The id of the mapping that contains ${address}; MAPPING is sent if it is new. 0:
 * there is no such mapping: the code was generated at run time, or unloaded. */
static uint32_t
mapping_of(uint64_t address)
{
	struct look l = { address, 0 };
	size_t i;

	for (i = map.mappings; i > 0; i--)
		if (address >= map.mapping[i - 1].start &&
		    address < map.mapping[i - 1].end)
			return (uint32_t)i;
	if (map.mappings == MAPPINGS)
		return 0;
	/* A library that was loaded since the last call may be a Python interpreter. */
	python_find();
	dl_iterate_phdr(visit, &l);
	return l.id;
}

/* Whether ${address} is new; then it is added to the table. False, too, if the table is
 * full. */
static bool
is_new(uint64_t address)
{
	size_t i = (size_t)((address * 0x9e3779b97f4a7c15u) >> 40) &
	    (ADDRESSES - 1);

	for (; map.seen[i] != 0; i = (i + 1) & (ADDRESSES - 1))
		if (map.seen[i] == address)
			return false;
	if (map.addresses >= ADDRESSES / 2)
		return false;
	map.seen[i] = address;
	map.addresses++;
	return true;
}

void
mapping_send(const uint64_t *address, size_t n)
{
	struct record_FRAME r;
	Dl_info info;
	size_t i;

	for (i = 0; i < n; i++) {
		if (address[i] == 0 || !is_new(address[i]))
			continue;
		memset(&r, 0, sizeof(r));
		r.address = address[i];
		/* A return address is behind its call, which may be the last
		 * instruction of the function. */
		r.mapping = mapping_of(address[i] - 1);
		r.flags = FRAME_EXPORTED;
		if (dladdr((void *)(uintptr_t)(address[i] - 1), &info) != 0)
			r.function = wire_str_of(info.dli_sname);
		EMIT(FRAME, &r);
	}
}
