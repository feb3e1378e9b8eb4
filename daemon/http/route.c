#include <stdio.h>
#include <string.h>

#include "http/route.h"

const char *const http_method_name[HTTP_METHODS] = {
	"GET", "POST", "PATCH", "DELETE"
};

static bool
path_matches(const char *pattern, const struct target *t, const char *param[2])
{
	size_t i, n, params = 0;

	param[0] = param[1] = NULL;
	if (t->segments == 0)
		return strcmp(pattern, "/") == 0;
	for (i = 0; i < t->segments; i++) {
		if (*pattern++ != '/')
			return false;
		n = strcspn(pattern, "/");
		if (pattern[0] == '{' && params < 2)
			param[params++] = t->segment[i];
		else if (strlen(t->segment[i]) != n ||
		    memcmp(t->segment[i], pattern, n) != 0)
			return false;
		pattern += n;
	}
	return *pattern == '\0';
}

enum route_status
route_find(const struct route *table, size_t rows, enum http_method method,
    const struct target *t, const char *param[2], const struct route **found)
{
	enum route_status status = ROUTE_NO_PATH;
	size_t i;

	*found = NULL;
	for (i = 0; i < rows; i++) {
		if (!path_matches(table[i].path, t, param))
			continue;
		status = ROUTE_NO_METHOD;
		if (table[i].method == method) {
			*found = &table[i];
			return ROUTE_FOUND;
		}
	}
	return status;
}

void
route_allow(const struct route *table, size_t rows, const struct target *t,
    char *out, size_t size)
{
	const char *param[2];
	bool seen[HTTP_METHODS] = { false };
	size_t i, used = 0;
	int n;

	out[0] = '\0';
	for (i = 0; i < rows; i++) {
		if (seen[table[i].method] ||
		    !path_matches(table[i].path, t, param))
			continue;
		seen[table[i].method] = true;
		n = snprintf(out + used, size - used, "%s%s%s",
		    used > 0 ? ", " : "", http_method_name[table[i].method],
		    table[i].method == HTTP_GET ? ", HEAD" : "");
		if (n < 0 || (size_t)n >= size - used)
			return;
		used += (size_t)n;
	}
}

/* Whether ${name} is one of the space-separated words of ${list}, which may be NULL. */
static bool
listed(const char *list, const char *name)
{
	size_t n;

	for (; list != NULL && *list != '\0'; list += n) {
		list += strspn(list, " ");
		n = strcspn(list, " ");
		if (strlen(name) == n && memcmp(list, name, n) == 0)
			return true;
	}
	return false;
}

const char *
route_bad_query(const struct route *r, const struct target *t)
{
	size_t i;

	for (i = 0; i < t->queries; i++)
		if (!listed(r->query, t->query[i].name))
			return t->query[i].name;
	return NULL;
}
