/* The terminal report of where a framework's program spends the GPU's time. */
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

/* Only so many rows as can be read at a glance; one row sums up the rest. */
TEST(test_rows)
{
	json_t *items = json_array(), *o;
	size_t lines = 0;
	char *text, name[32];

	json_array_append_new(items, row("aten::addmm", "/me/model.py", 0.4));
	json_array_append_new(items, row("aten::mm", NULL, 0.2));
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "aten::small%d", i);
		json_array_append_new(items, row(name, "/me/x.py", 0.01));
	}
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
	/* A user's own kernel only has its name. */
	json_object_del(json_array_get(items, 1), "library");
	json_object_set_new(json_array_get(items, 1), "backward", json_false());
	text = drawn(o);
	assert_non_null(strstr(text, "aten::mm\n"));
	free(text);
	/* The place is beside the name if there is room, else below it. Nothing
	 * is wider than the terminal. */
	text = drawn_in(o, 60);
	assert_non_null(strstr(text, "aten::addmm  model.py:7 in forward\n"));
	free(text);
	text = drawn_in(o, 50);
	assert_non_null(strstr(text, "aten::addmm · model.py:7 in"));
	assert_safe(text, 50);
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

/* An operator is one row, wherever it is launched; with -v each place is one. */
TEST(test_places)
{
	json_t *items = json_pack("[o, o, o]",
	    row("aten::mm", "/me/model.py", 0.4),
	    row("aten::addmm", "/me/model.py", 0.35),
	    row("aten::addmm", NULL, 0.2));
	json_t *o = json_pack("{s:b, s:f, s:i, s:o}", "framework", 1,
	    "kernel_s", 1.0, "count", 3, "items", items);
	struct report r = { .operators = o, .verbose = true };
	const char *first, *second;
	struct page p;
	char *text = drawn_in(o, 80);

	first = strstr(text, "55 %   550 ms   aten::addmm  model.py:7 in "
	    "forward, 1 more place · PyTorch\n");
	second = strstr(text, "40 %   400 ms   aten::mm     model.py:7 in "
	    "forward · PyTorch\n");
	assert_true(first != NULL && second > first);
	assert_null(strstr(text, "more operator"));
	free(text);
	page_open(&p, 80, true);
	parts_operators(&p.out, &r);
	page_close(&p);
	assert_non_null(strstr(p.text, "35 %   350 ms   aten::addmm · model.py"));
	assert_non_null(strstr(p.text, "20 %   200 ms   aten::addmm · backward"));
	free(p.text);
	json_decref(o);
}

/* The function that launched it, without the prefix of a template's name. */
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

/* Of Python's callers those that are the program's own are named, three of them; behind
 * them is what it called: the first such frame that has a line, but for Cython's. */
TEST(test_callers)
{
	static const struct {
		const char *function, *file, *says;
	} cases[] = {
		{ "launch(int)", "/me/softmax.cu", "launched from a.py:7 in f(), called "
		  "from b.py:7 in f(), called from c.py:7 in f(), called from d.py:7 "
		  "in f(), through softmax.cu:7 in launch()" },
		{ "__pyx_f_4cupy_4cuda_8function__launch(int)", "/me/function.cpp",
		  "launched from a.py:7 in f(), called from b.py:7 in f(), called "
		  "from c.py:7 in f(), called from d.py:7 in f()" },
	};
	static const char *const python[] = { "/me/a.py",
	    "/x/site-packages/torch/nn/module.py", "/me/b.py", "/me/c.py", "/me/d.py",
	    "/me/e.py", "/me/g.py" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *frames = json_array(), *site;
		char *text;

		for (size_t k = 0; k < sizeof(python) / sizeof(python[0]); k++)
			json_array_append_new(frames, json_pack("{s:s, s:s, s:i, s:b}",
			    "function", "f", "file", python[k], "line", 7,
			    "python", 1));
		for (size_t k = 0; k < 2; k++)
			json_array_append_new(frames, json_pack("{s:s, s:s, s:i, s:b}",
			    "function", k == 0 ? cases[i].function :
			    "_PyEval_EvalFrameDefault", "file", k == 0 ?
			    cases[i].file : "/python/ceval.c", "line", 7,
			    "python", 0));
		site = json_pack("{s:i, s:o}", "first", 0, "frames", frames);
		text = parts_site_text(site, NULL, true);
		assert_string_equal(text, cases[i].says);
		free(text);
		json_decref(site);
	}
}

/* On a framework's thread, which has no line of the program, what it does; where there
 * is a line, that. */
TEST(test_site_of_framework)
{
	static const struct {
		const char *module, *outer, *says;
		bool python;
	} cases[] = {
		{ "libtorch_cuda.so", "torch::autograd::Engine::thread_main(int)",
		  "launched from the backward pass, in impl()\n", false },
		{ "xla_cuda_plugin.so", "start",
		  "launched from a thread of XLA, in impl()\n", false },
		{ "libtorch_cuda.so", "torch::autograd::THPVariable_add(int)",
		  "launched from impl() in libtorch_cuda.so\n", true },
		{ "libmine.so", "start", "launched from impl() in libmine.so\n",
		  false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *site = json_pack("{s:i, s:[{s:s, s:s}, {s:s, s:b}]}",
		    "first", 0, "frames", "function", "impl(int)", "module",
		    cases[i].module, "function", cases[i].outer, "python",
		    (int)cases[i].python);
		struct page p;

		page_open(&p, 100, true);
		parts_site(&p.out, site, 0);
		page_close(&p);
		assert_string_equal(p.text, cases[i].says);
		free(p.text);
		json_decref(site);
	}
}
