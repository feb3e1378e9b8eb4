#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "budget.h"
#include "family.h"
#include "filter.h"
#include "inject.h"
#include "signature.h"

#define SLOTS (SIGNATURE_MAX * 2)	/* there are at most as many families as
					 * signatures */

static struct family *slot[SLOTS];
static uint32_t families;		/* not excluded */
static uint32_t made;			/* in slot */
static _Atomic uint64_t total_ns;

static struct family *
make(const char *name, uint64_t hash)
{
	struct family *f = calloc(1, sizeof(*f));

	if (f == NULL || (f->name = strdup(name)) == NULL) {
		free(f);
		return NULL;
	}
	f->hash = hash;
	f->excluded = !filter_takes(name);
	if (!f->excluded)
		f->id = ++families;
	return f;
}

struct family *
family_of(const char *name)
{
	uint64_t hash = XXH64(name, strlen(name), 0);
	uint32_t i;

	for (i = (uint32_t)hash & (SLOTS - 1); slot[i] != NULL;
	    i = (i + 1) & (SLOTS - 1))
		if (slot[i]->hash == hash)
			return slot[i];
	if (made == SIGNATURE_MAX)
		return NULL;
	budget_renew(inject_now());
	slot[i] = make(name, hash);
	made += slot[i] != NULL;
	return slot[i];
}

void
family_ran(struct family *f, uint64_t ns)
{

	atomic_fetch_add(&f->traced, 1);
	atomic_fetch_add(&f->gpu_ns, ns);
	atomic_fetch_add(&total_ns, ns);
}

uint64_t
family_total(void)
{

	return atomic_load(&total_ns);
}

bool
family_matters(const struct family *f)
{
	uint64_t ns = atomic_load(&f->gpu_ns);

	return ns >= FAMILY_LONG_NS && ns >= family_total() / FAMILY_SHARE;
}

void
family_counted(struct family *f)
{
	uint64_t ns = atomic_load(&f->gpu_ns);

	f->headlines++;
	f->next_ns = 2 * (ns > FAMILY_LONG_NS ? ns : FAMILY_LONG_NS);
}
