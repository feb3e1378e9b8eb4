#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "pages.h"

struct range {
	uintptr_t from, to;
	int protection;
};

static struct {
	struct range *all;
	size_t n, room;
} list;

static int
add(const struct range *r)
{
	struct range *more;

	if (list.n == list.room) {
		more = realloc(list.all, (list.room * 2 + 256) *
		    sizeof(*list.all));
		if (more == NULL)
			return -1;
		list.all = more;
		list.room = list.room * 2 + 256;
	}
	list.all[list.n++] = *r;
	return 0;
}

int
pages_read(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char *line = NULL, p[5];
	struct range r;
	size_t size = 0;
	int status = 0;

	if (f == NULL)
		return -1;
	while (status == 0 && getline(&line, &size, f) != -1) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &r.from, &r.to, p) != 3)
			continue;
		r.protection = (p[0] == 'r' ? PROT_READ : 0) |
		    (p[1] == 'w' ? PROT_WRITE : 0) |
		    (p[2] == 'x' ? PROT_EXEC : 0);
		status = add(&r);
	}
	free(line);
	fclose(f);
	if (status != 0)
		pages_forget();
	return status;
}

void
pages_forget(void)
{

	free(list.all);
	list.all = NULL;
	list.n = list.room = 0;
}

static int
by_place(const void *key, const void *element)
{
	uintptr_t at = *(const uintptr_t *)key;
	const struct range *r = element;

	return at < r->from ? -1 : at >= r->to;
}

int
pages_protection(uintptr_t at)
{
	const struct range *r = list.n == 0 ? NULL : bsearch(&at, list.all,
	    list.n, sizeof(*list.all), by_place);

	return r != NULL ? r->protection : 0;
}
