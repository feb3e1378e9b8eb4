#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "cubin_sources.h"
#include "diag.h"
#include "emit.h"
#include "inject.h"
#include "module.h"

#define MODULES_MAX 4096u
#define IMAGE_MAX (32u << 20)		/* bytes of one cubin */
#define IMAGES_MAX (256u << 20)		/* bytes of cubins that are kept */
#define IMAGES_FEW (64u << 20)		/* the same if instructions are not counted */
#define SEND_MAX (96u << 20)		/* bytes sent in all */
#define PIECE (128u << 10)		/* bytes in one BYTES record */
#define PIECES 32			/* per call of module_send: 4 MiB */
#define FOUND_MAX (16u << 20)		/* bytes sent of kernels that were not measured */
#define SEARCH_MAX (64u << 20)	/* bytes of names that are searched in all: 20 ms */
#define NAME_ROOM 4096

struct module {
	uint64_t id;			/* CUPTI's checksum; 0: not computed yet */
	uint64_t hash;			/* recognises a cubin that is loaded again */
	uint32_t device;
	uint64_t size;
	uint8_t *image;			/* NULL: it was sent and freed */
	char *names;		/* its section names, kept when the image is freed */
	size_t names_size;
	uint64_t sent;			/* bytes of it that were sent */
	bool wanted, announced, done;
};

static struct {
	pthread_mutex_t lock;	/* guards module, count, bytes, missing and sought */
	struct module *module[MODULES_MAX];
	uint32_t count;
	uint64_t bytes;
	uint64_t sent;			/* bytes; used by the sender thread only */
	uint32_t open;			/* cubins still to be sent; used by the
					 * sender thread only */
	uint64_t found, searched;	/* bytes, by module_find; used by the sender
					 * thread only */
	uint32_t sought;		/* ids in ${missing}: requested, but no
					 * loaded module has them yet */
	uint32_t looked;		/* the first so many of them are in none of */
	uint32_t looked_at;		/* the first so many modules */
	uint64_t missing[MODULES_MAX];
} mod = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool
known(uint64_t hash, uint64_t size)
{
	uint32_t i;

	for (i = 0; i < mod.count; i++)
		if (mod.module[i]->hash == hash &&
		    mod.module[i]->size == size)
			return true;
	return false;
}

/* Whether ${size} bytes more may be kept. If instructions are not counted, the code is
 * only analysed by itself: less of it suffices, and copying it costs the program
 * time. */
static bool
has_room(uint64_t size)
{

	return mod.count < MODULES_MAX && size <= IMAGE_MAX &&
	    mod.bytes + size <= (level_counts(inject.level) ? IMAGES_MAX :
	    IMAGES_FEW);
}

void
module_loaded(const CUpti_ModuleResourceData *d, uint32_t device)
{
	struct module *m;
	uint64_t hash;
	bool room;

	if (!level_profiles(inject.level) || d == NULL || d->pCubin == NULL ||
	    d->cubinSize < 64)
		return;
	pthread_mutex_lock(&mod.lock);
	room = has_room(d->cubinSize);
	pthread_mutex_unlock(&mod.lock);
	if (!room)	/* then the program need not wait for a hash either */
		return;
	hash = XXH64(d->pCubin, d->cubinSize, 0);
	pthread_mutex_lock(&mod.lock);
	if (!has_room(d->cubinSize) || known(hash, d->cubinSize) ||
	    (m = calloc(1, sizeof(*m))) == NULL)
		goto out;
	if ((m->image = malloc(d->cubinSize)) == NULL) {
		free(m);
		goto out;
	}
	memcpy(m->image, d->pCubin, d->cubinSize);
	m->hash = hash;
	m->size = d->cubinSize;
	m->device = device;
	mod.bytes += m->size;
	mod.module[mod.count++] = m;
out:
	pthread_mutex_unlock(&mod.lock);
}

static struct module *
module_at(uint32_t i)
{
	struct module *m;

	pthread_mutex_lock(&mod.lock);
	m = i < mod.count ? mod.module[i] : NULL;
	pthread_mutex_unlock(&mod.lock);
	return m;
}

/* CUPTI computes the checksum. Not in the resource callback, where it was seen to
 * deadlock. */
static uint64_t
checksum(struct module *m)
{
	CUpti_GetCubinCrcParams p = { .size = CUpti_GetCubinCrcParamsSize,
	    .cubinSize = m->size, .cubin = m->image };
	CUptiResult r;

	if (m->id != 0 || m->image == NULL ||
	    inject.api.cuptiGetCubinCrc == NULL)
		return m->id;
	if ((r = inject.api.cuptiGetCubinCrc(&p)) == CUPTI_SUCCESS)
		m->id = p.cubinCrc;
	else
		diag_report(DIAG_SOURCE_FAILED, SEVERITY_WARNING, (uint32_t)r,
		    "cuptiGetCubinCrc", "cubins cannot be identified: no "
		    "source lines");
	return m->id;
}

static bool
find_wanted(uint64_t cubin)
{
	struct module *m;
	uint32_t i;

	for (i = 0; (m = module_at(i)) != NULL; i++) {
		/* SASS metrics return the lower half of the id only. 0: unknown. */
		if (checksum(m) == 0 || (uint32_t)m->id != (uint32_t)cubin)
			continue;
		if (!m->wanted) {
			m->wanted = true;
			mod.open++;
		}
		return true;
	}
	return false;
}

/* The section names of ${m}, ".text._Z4workPf\0…"; NULL if they are unknown. */
static const char *
names_of(const struct module *m, size_t *size)
{
	Elf64_Ehdr h;
	Elf64_Shdr s;

	*size = m->names_size;
	if (m->image == NULL || m->names != NULL)
		return m->names;
	if (m->size < sizeof(h))
		return NULL;
	memcpy(&h, m->image, sizeof(h));
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
	    h.e_shstrndx >= h.e_shnum || h.e_shoff > m->size ||
	    (h.e_shstrndx + 1ull) * sizeof(s) > m->size - h.e_shoff)
		return NULL;
	memcpy(&s, m->image + h.e_shoff + h.e_shstrndx * sizeof(s), sizeof(s));
	if (s.sh_offset > m->size || s.sh_size > m->size - s.sh_offset)
		return NULL;
	*size = s.sh_size;
	return (const char *)m->image + s.sh_offset;
}

/* Keeps the section names of a module whose image is about to be freed. */
static void
keep_names(struct module *m)
{
	size_t size;
	const char *names = names_of(m, &size);

	if (names == NULL || (m->names = malloc(size + 1)) == NULL)
		return;
	memcpy(m->names, names, size);
	m->names_size = size;
}

/* Whether a section name of ${m} ends in ${key}; ${len} includes the NUL of ${key}. */
static bool
has_section(const struct module *m, const char *key, size_t len)
{
	size_t size;
	const char *names = names_of(m, &size);

	if (names == NULL || size > SEARCH_MAX - mod.searched)
		return false;
	mod.searched += size;
	return memmem(names, size, key, len) != NULL;
}

/* Whether ${m} is sent, or may be sent within the limit. */
static bool
afford(struct module *m)
{
	if (m->wanted)
		return true;
	if (m->image == NULL || m->size > FOUND_MAX - mod.found)
		return false;
	mod.found += m->size;
	m->wanted = true;
	mod.open++;
	return true;
}

uint64_t
module_find(const char *function)
{
	struct module *m, *only = NULL;
	char key[NAME_ROOM];
	uint32_t i;
	int len;

	/* Every kernel has a .text section of its own. */
	len = snprintf(key, sizeof(key), ".text.%s", function);
	if (len < 0 || (size_t)len >= sizeof(key))
		return 0;
	for (i = 0; (m = module_at(i)) != NULL; i++) {
		if (!has_section(m, key, (size_t)len + 1))
			continue;
		if (only != NULL)
			return 0;
		only = m;
	}
	return only != NULL && checksum(only) != 0 && afford(only) ?
	    checksum(only) : 0;
}

void
module_want(uint64_t cubin)
{
	uint32_t i;

	pthread_mutex_lock(&mod.lock);
	for (i = 0; i < mod.sought; i++)
		if (mod.missing[i] == cubin)
			break;
	if (i == mod.sought && i < MODULES_MAX)
		mod.missing[mod.sought++] = cubin;
	pthread_mutex_unlock(&mod.lock);
}

/* Looks for the requested ids among the modules that are loaded now. */
static void
find_missing(void)
{
	uint64_t cubin;
	uint32_t i = 0, count;
	bool found;

	pthread_mutex_lock(&mod.lock);
	count = mod.count;
	if (mod.looked_at == count)
		i = mod.looked;
	while (i < mod.sought) {
		cubin = mod.missing[i];
		pthread_mutex_unlock(&mod.lock);
		found = find_wanted(cubin);
		pthread_mutex_lock(&mod.lock);
		if (found)
			mod.missing[i] = mod.missing[--mod.sought];
		else
			i++;
	}
	mod.looked = i;
	mod.looked_at = count;
	pthread_mutex_unlock(&mod.lock);
}

static void
announce(struct module *m)
{
	struct record_CUBIN r = { .id = (uint32_t)m->id, .size = m->size,
	    .device = m->device };

	if (mod.sent + m->size > SEND_MAX)
		r.flags = CUBIN_WITHHELD;
	EMIT(CUBIN, &r);
	m->announced = true;
	if (r.flags & CUBIN_WITHHELD)
		m->done = true;
	else
		mod.sent += m->size;
}

/* Sends up to ${pieces} pieces of a cubin; returns their number. */
static unsigned
send_pieces(struct module *m, unsigned pieces)
{
	struct record_BYTES r = { .kind = BYTES_CUBIN, .id = (uint32_t)m->id };
	unsigned n;

	if (!m->announced)
		announce(m);
	for (n = 0; n < pieces && !m->done; n++) {
		r.offset = m->sent;
		r.data.p = m->image + m->sent;
		r.data.len = m->size - m->sent < PIECE ?
		    (uint32_t)(m->size - m->sent) : PIECE;
		EMIT(BYTES, &r);
		m->sent += r.data.len;
		m->done = m->sent == m->size;
	}
	if (m->done) {
		mod.open--;
		if (level_keeps_sources(inject.level))
			cubin_sources_send(m->image, m->size);
		keep_names(m);
		pthread_mutex_lock(&mod.lock);
		mod.bytes -= m->size;
		free(m->image);
		m->image = NULL;
		pthread_mutex_unlock(&mod.lock);
	}
	return n;
}

bool
module_send(void)
{
	unsigned room = PIECES;
	struct module *m;
	uint32_t i;

	find_missing();
	if (mod.open == 0)
		return false;
	for (i = 0; (m = module_at(i)) != NULL && room > 0; i++)
		if (m->wanted && !m->done)
			room -= send_pieces(m, room);
	return mod.open > 0;
}
