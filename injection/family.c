#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "family.h"
#include "filter.h"
#include "signature.h"

#define SLOTS (SIGNATURE_MAX * 2)	/* there are no more than signatures */

static struct family *slot[SLOTS];

static struct family *
make(const char *name, uint64_t hash)
{
	struct family *f = calloc(1, sizeof(*f));

	if (f == NULL || (f->name = strdup(name)) == NULL) {
		free(f);
		return (NULL);
	}
	f->hash = hash;
	f->excluded = !filter_takes(name);
	return (f);
}

struct family *
family_of(const char *name)
{
	uint64_t hash = XXH64(name, strlen(name), 0);
	uint32_t i;

	for (i = (uint32_t)hash & (SLOTS - 1); slot[i] != NULL;
	    i = (i + 1) & (SLOTS - 1))
		if (slot[i]->hash == hash)
			return (slot[i]);
	return (slot[i] = make(name, hash));
}
