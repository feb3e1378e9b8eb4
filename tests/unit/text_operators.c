/* Where a framework's program spends the GPU's time, in the terminal report. */
#include <jansson.h>

#include "report/text.h"
#include "report/text_parts.h"

#include "unit/text_page.h"

static char *
drawn_in(const json_t *operators, int columns)
{
	struct report r = { .operators = operators };
	struct page p;

	page_open(&p, columns, true);
	parts_operators(&p.out, &r);
	page_close(&p);
	return p.text;
}

static char *
drawn(const json_t *operators)
{
	return drawn_in(operators, 100);
}

static json_t *
row(const char *name, const char *file, double s)
{
	return json_pack("{s:s, s:s, s:s?, s:i, s:s, s:b, s:f, s:f}", "name",
	    name, "library", "PyTorch", "file", file, "line", 7, "function",
	    "forward", "backward", file == NULL, "s", s, "share_ratio", s);
}

/* No more rows than are read at a glance, and what they leave in one. */
TEST(test_rows)
{
	json_t *items = json_array(), *o;
	size_t lines = 0;
	char *text;

	json_array_append_new(items, row("aten::addmm", "/me/model.py", 0.4));
	json_array_append_new(items, row("aten::mm", NULL, 0.2));
	for (int i = 0; i < 40; i++)
		json_array_append_new(items, row("aten::add", "/me/x.py", 0.01));
	o = json_pack("{s:b, s:f, s:i, s:o}", "framework", 1, "kernel_s", 1.0,
	    "count", 42, "items", items);
	text = drawn(o);
	assert_non_null(strstr(text, "aten::addmm"));
	assert_non_null(strstr(text, "model.py:7 in forward · PyTorch"));
	assert_non_null(strstr(text, "backward pass · PyTorch"));
	assert_non_null(strstr(text, "40 %"));
	assert_non_null(strstr(text, "in 40 more operators"));
	for (const char *p = text; *p != '\0'; p++)
		lines += *p == '\n';
	assert_int_equal(lines, 5);
	free(text);
	/* Of a kernel of the user's own there is nothing but its name. */
	json_object_del(json_array_get(items, 1), "library");
	json_object_set_new(json_array_get(items, 1), "backward", json_false());
	text = drawn(o);
	assert_non_null(strstr(text, "aten::mm\n"));
	free(text);
	/* Where there is no room beside a name, its place follows it; nothing is cut,
	 * and nothing is wider than the terminal. */
	text = drawn_in(o, 60);
	assert_non_null(strstr(text, "aten::addmm · model.py:7 in"));
	for (const char *p = text, *end; *p != '\0'; p = end + 1) {
		end = strchr(p, '\n');
		assert_true(end - p <= 62);	/* a dot takes two bytes */
	}
	free(text);
	json_object_set_new(o, "framework", json_false());
	text = drawn(o);
	assert_string_equal(text, "");
	free(text);
	json_decref(o);
	text = drawn(NULL);
	assert_string_equal(text, "");
	free(text);
}

/* Who launched it, without what a template's name has before it. */
TEST(test_site)
{
	static const struct {
		const char *name, *says;
	} cases[] = {
		{ "step(int, float*)", "launched from step() in app" },
		{ "void run<int, 2048>(int*)", "launched from run<int, 2048>() in" },
		{ "std::pair<int, long> of<S<1> >(int)", "from of<S<1> >() in" },
		{ "<module>", "from <module> in" },
		{ "main", "from main() in" },
	};
	struct page p;
	json_t *site;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		site = json_pack("{s:i, s:[{s:s, s:s}]}", "first", 0, "frames",
		    "function", cases[i].name, "module", "/me/app");
		page_open(&p, 100, true);
		parts_site(&p.out, site, 0);
		page_close(&p);
		assert_non_null(strstr(p.text, cases[i].says));
		free(p.text);
		json_decref(site);
	}
}
