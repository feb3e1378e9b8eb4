#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/json_util.h"

#include "http/problem.h"

static const struct {
	const char *slug;
	int status;
	const char *title, *help;
} table[PROBLEM_COUNT] = {
#define X(name, slug, status, title, help) { slug, status, title, help },
	PROBLEMS(X)
#undef X
};

void
respond_problem(struct response *rs, enum problem p, const char *pointer,
    const char *fmt, ...)
{
	char type[64], detail[640];
	va_list ap;
	json_t *j, *errors = NULL;

	va_start(ap, fmt);
	vsnprintf(detail, sizeof(detail), fmt, ap);
	va_end(ap);
	snprintf(type, sizeof(type), "/problems/%s", table[p].slug);
	if (pointer != NULL)
		errors = json_pack("[{s:o, s:o}]",
		    pointer[0] == '/' || pointer[0] == '\0' ? "pointer" :
		    "parameter", json_text(pointer), "detail",
		    json_text(detail));
	/* The detail may be cut inside a character. */
	j = json_pack("{s:s, s:s, s:i, s:o, s:s, s:o*}", "type", type,
	    "title", table[p].title, "status", table[p].status,
	    "detail", json_text(detail), "help", table[p].help,
	    "errors", errors);
	response_release(rs);
	respond_json(rs, table[p].status, j);
	rs->type = "application/problem+json";
	rs->live = true;
}

char *
problem_page(const char *slug)
{
	size_t i, n;
	char *page;

	for (i = 0; i < PROBLEM_COUNT; i++) {
		if (strcmp(table[i].slug, slug) != 0)
			continue;
		n = strlen(table[i].title) + strlen(table[i].help) + 64;
		page = malloc(n);
		if (page != NULL)
			snprintf(page, n, "%s (HTTP status %d)\n\n%s\n",
			    table[i].title, table[i].status, table[i].help);
		return page;
	}
	return NULL;
}
