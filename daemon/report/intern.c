#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#include "report/intern.h"

struct interned {
	UT_hash_handle hh;
	uint32_t number;
	char key[];
};

uint32_t
intern_bytes(struct intern *t, const void *key, size_t len, bool *fresh)
{
	struct interned *x;

	HASH_FIND(hh, t->table, key, len, x);
	*fresh = x == NULL;
	if (x != NULL)
		return x->number;
	if ((x = calloc(1, sizeof(*x) + len + 1)) == NULL) {
		t->failed = true;
		return 0;
	}
	memcpy(x->key, key, len);
	x->number = t->count + 1;
	HASH_ADD_KEYPTR(hh, t->table, x->key, len, x);
	if (x->hh.tbl == NULL) {
		free(x);
		t->failed = true;
		return 0;
	}
	return ++t->count;
}

uint32_t
intern_text(struct intern *t, const char *text, bool *fresh)
{

	return intern_bytes(t, text, strlen(text), fresh);
}

uint32_t
intern_place(struct intern *t, const char *name, const char *file,
    uint64_t line, bool *fresh)
{
	uint32_t number = 0;
	char *key = NULL;
	int n;

	/* The length makes the key unique for name and file. */
	n = asprintf(&key, "%zu %llu %s%s", strlen(name),
	    (unsigned long long)line, name, file != NULL ? file : "");
	if (n < 0) {
		t->failed = true;
		*fresh = false;
		return 0;
	}
	number = intern_bytes(t, key, (size_t)n, fresh);
	free(key);
	return number;
}

void
intern_clear(struct intern *t)
{

	HASH_FREE(t->table);
	memset(t, 0, sizeof(*t));
}
