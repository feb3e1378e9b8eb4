#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "diag.h"
#include "emit.h"
#include "inject.h"
#include "module.h"
#include "text.h"

#define MODULES_MAX 4096u
#define IMAGE_MAX (32u << 20)		/* bytes of one cubin */
#define IMAGES_MAX (256u << 20)		/* kept */
#define SEND_MAX (96u << 20)		/* sent in all */
#define PIECE (128u << 10)		/* of a BYTES record */
#define PIECES 32			/* at a time: 4 MiB */

struct module {
	uint64_t id;			/* CUPTI's checksum; 0 not known yet */
	uint64_t hash;			/* to see the same code again */
	uint32_t device;
	uint64_t size;
	uint8_t *image;			/* NULL: over a limit, or sent */
	uint64_t sent;			/* bytes */
	bool wanted, announced, done;
};

static struct {
	pthread_mutex_t lock;		/* module, count, bytes, missing */
	struct module *module[MODULES_MAX];
	uint32_t count;
	uint64_t bytes;
	uint64_t sent;			/* bytes; the sender's */
	uint32_t open;			/* wanted and not done; the sender's */
	uint32_t sought;		/* ids asked for, and not found yet */
	uint64_t missing[MODULES_MAX];
} mod = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool
known(uint64_t hash, uint64_t size)
{
	uint32_t i;

	for (i = 0; i < mod.count; i++)
		if (mod.module[i]->hash == hash &&
		    mod.module[i]->size == size)
			return (true);
	return (false);
}

void
module_loaded(const CUpti_ModuleResourceData *d, uint32_t device)
{
	struct module *m;
	uint64_t hash;

	if (inject.level < LEVEL_SOURCE || d == NULL || d->pCubin == NULL ||
	    d->cubinSize < 64)
		return;
	hash = XXH64(d->pCubin, d->cubinSize, 0);
	pthread_mutex_lock(&mod.lock);
	if (mod.count == MODULES_MAX || known(hash, d->cubinSize) ||
	    (m = calloc(1, sizeof(*m))) == NULL)
		goto out;
	m->hash = hash;
	m->size = d->cubinSize;
	m->device = device;
	if (m->size <= IMAGE_MAX && mod.bytes + m->size <= IMAGES_MAX &&
	    (m->image = malloc(m->size)) != NULL) {
		memcpy(m->image, d->pCubin, m->size);
		mod.bytes += m->size;
	}
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
	return (m);
}

/* CUPTI computes the checksum; not in the callback, where it was seen to
 * deadlock. */
static uint64_t
checksum(struct module *m)
{
	CUpti_GetCubinCrcParams p = { .size = CUpti_GetCubinCrcParamsSize,
	    .cubinSize = m->size, .cubin = m->image };
	CUptiResult r;

	if (m->id != 0 || m->image == NULL ||
	    inject.api.cuptiGetCubinCrc == NULL)
		return (m->id);
	if ((r = inject.api.cuptiGetCubinCrc(&p)) == CUPTI_SUCCESS)
		m->id = p.cubinCrc;
	else
		diag_report(DIAG_SOURCE_FAILED, SEVERITY_WARNING, (uint32_t)r,
		    "cuptiGetCubinCrc", "the device code of kernels cannot be "
		    "told apart: no lines");
	return (m->id);
}

static bool
find_wanted(uint64_t cubin)
{
	struct module *m;
	uint32_t i;

	for (i = 0; (m = module_at(i)) != NULL; i++) {
		/* SASS metrics know the lower half only. 0: not known. */
		if (checksum(m) == 0 || (uint32_t)m->id != (uint32_t)cubin)
			continue;
		if (!m->wanted) {
			m->wanted = true;
			mod.open++;
		}
		return (true);
	}
	return (false);
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

/* What was asked for is found, if its module is there. */
static void
find_missing(void)
{
	uint64_t cubin;
	uint32_t i = 0;
	bool found;

	pthread_mutex_lock(&mod.lock);
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

/* Up to ${pieces} of a cubin; how many there were. */
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
		text_of_cubin(m->image, m->size);
		pthread_mutex_lock(&mod.lock);
		mod.bytes -= m->size;
		free(m->image);
		m->image = NULL;
		pthread_mutex_unlock(&mod.lock);
	}
	return (n);
}

bool
module_send(void)
{
	unsigned room = PIECES;
	struct module *m;
	uint32_t i;

	find_missing();
	if (mod.open == 0)
		return (false);
	for (i = 0; (m = module_at(i)) != NULL && room > 0; i++)
		if (m->wanted && !m->done)
			room -= send_pieces(m, room);
	return (mod.open > 0);
}
