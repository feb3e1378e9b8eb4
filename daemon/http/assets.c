#include <string.h>

#include "report/dashboard.h"

#include "http/api.h"
#include "http/route.h"

/*
 * The page and the OpenAPI document. The assembler includes them, and finds them
 * through -I (CMakeLists.txt); compiling them as arrays of numbers in C would take
 * seconds.
 */
#define ASSETS(X)							\
	X(index_html, "dist/", "index.html", "text/html; charset=utf-8") \
	X(icon_svg, "dist/", "icon.svg", "image/svg+xml")		\
	X(openapi_json, "", "openapi.json", "application/json")

#define X(symbol, folder, name, type)					\
	__asm__(".pushsection .rodata\n"				\
	    ".global asset_" #symbol "\n"				\
	    ".hidden asset_" #symbol "\n"				\
	    "asset_" #symbol ":\n"					\
	    ".incbin \"" folder name "\"\n"				\
	    ".global asset_" #symbol "_end\n"				\
	    ".hidden asset_" #symbol "_end\n"				\
	    "asset_" #symbol "_end:\n"					\
	    ".byte 0\n"							\
	    ".popsection\n");						\
	extern const char asset_##symbol[], asset_##symbol##_end[];
ASSETS(X)
#undef X

static const struct asset {
	const char *name, *type, *start, *end;
} table[] = {
#define X(symbol, folder, name, type)					\
	{ name, type, asset_##symbol, asset_##symbol##_end },
	ASSETS(X)
#undef X
	{ "app.js", "text/javascript; charset=utf-8", dashboard_js, dashboard_js_end },
	{ "app.css", "text/css; charset=utf-8", dashboard_css, dashboard_css_end },
};

static const struct asset *
asset_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}

void
assets_get(struct request *rq, struct response *rs)
{
	const struct asset *a = asset_find(rq->route->arg);

	if (a == NULL) {
		respond_problem(rs, PROBLEM_NO_PATH, NULL, "not built in");
		return;
	}
	rs->status = 200;
	rs->type = a->type;
	rs->fixed = a->start;
	rs->length = (size_t)(a->end - a->start);
	rs->live = true;
}
