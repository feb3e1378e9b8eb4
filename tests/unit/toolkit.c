/* Which injection library a process gets, and where its CUPTI may be. */
#include <stdio.h>
#include <string.h>

#include "unit/test.h"
#include "wire/toolkit.h"

#define BIT(major) (1u << ((major) - TOOLKIT_OLDEST))

static const struct {
	uint32_t built;
	int driver;
	unsigned loaded;
	const char *order;	/* majors, the best one first */
	const char *refusal;	/* part of the message; NULL: none */
	const char *remedy;
} cases[] = {
	/* A driver supports its own CUPTI and older ones. */
	{ BIT(13) | BIT(12), 13000, 0, "13 12", NULL, NULL },
	{ BIT(13) | BIT(12), 13010, 0, "13 12", NULL, NULL },
	{ BIT(13) | BIT(12), 12040, 0, "12", NULL, NULL },
	{ BIT(13) | BIT(12), 12090, 0, "12", NULL, NULL },
	{ BIT(12), 13000, 0, "12", NULL, NULL },
	{ BIT(13) | BIT(12), 14000, 0, "13 12", NULL, NULL },
	{ BIT(13), 12080, 0, "", "the driver serves CUDA 12.8: cudadvise was "
	    "built for CUDA 13", "toolkit of CUDA 12.6 or newer is" },
	{ BIT(13) | BIT(12), 11080, 0, "", "CUDA 11.8", "update the driver" },
	{ BIT(14) | BIT(13), 12080, 0, "", "CUDA 13 and 14", "12.6 or newer" },
	/* The driver is unknown: any library, the newest first. */
	{ BIT(13) | BIT(12), 0, 0, "13 12", NULL, NULL },
	/* A CUPTI that the process has loaded is the only possible one. */
	{ BIT(13) | BIT(12), 13000, 12, "12", NULL, NULL },
	{ BIT(13) | BIT(12), 12040, 12, "12", NULL, NULL },
	{ BIT(13) | BIT(12), 12040, 13, "13", NULL, NULL },
	{ BIT(13) | BIT(12), 0, 12, "12", NULL, NULL },
	{ BIT(13), 13000, 12, "", "the program brings CUPTI of CUDA 12",
	    "toolkit of CUDA 12.6 or newer is" },
	{ BIT(12), 13000, 13, "", "the program brings CUPTI of CUDA 13, and "
	    "two cannot be in one process: cudadvise was built for CUDA 12",
	    "toolkit of CUDA 13 is" },
	{ BIT(13) | BIT(12), 13000, 11, "", "CUPTI of CUDA 11", "run the "
	    "program with libraries of CUDA 12.4 or newer" },
	{ 0, 13000, 0, "", "built for no CUDA", "toolkit of CUDA 13 is" },
};

TEST(order_is_that_of_the_table)
{
	unsigned order[TOOLKIT_MAJORS];
	char got[64], text[256];
	size_t i, k, n;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct toolkit_facts f = { cases[i].built, cases[i].driver,
		    cases[i].loaded };

		n = toolkit_order(&f, order);
		got[0] = '\0';
		for (k = 0; k < n; k++)
			snprintf(got + strlen(got), sizeof(got) - strlen(got),
			    "%s%u", k > 0 ? " " : "", order[k]);
		assert_string_equal(got, cases[i].order);
		if (n > 0)
			continue;
		toolkit_refusal(&f, text, sizeof(text));
		assert_non_null(strstr(text, cases[i].refusal));
		toolkit_remedy(&f, text, sizeof(text));
		assert_non_null(strstr(text, cases[i].remedy));
	}
}

TEST(cupti_versions_are_of_a_major)
{
	static const struct {
		uint32_t api;
		unsigned major;
	} row[] = { { 0, 11 }, { 18, 11 }, { 19, 12 }, { 24, 12 }, { 28, 12 },
		{ 130000, 13 }, { 130001, 13 }, { 130100, 13 },
		{ 140000, 14 } };
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_int_equal(toolkit_major(row[i].api), row[i].major);
}

TEST(kernel_driver_says_what_it_serves)
{
	assert_int_equal(toolkit_driver("NVRM version: NVIDIA UNIX x86_64 "
	    "Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024"), 12040);
	assert_int_equal(toolkit_driver("NVRM version: NVIDIA UNIX Open Kernel "
	    "Module for x86_64  580.159.03  Release Build  (root@host)"),
	    13000);
	assert_int_equal(toolkit_driver("Module  535.216.01  x"), 12020);
	assert_int_equal(toolkit_driver("Module  470.9 "), 11000);
	assert_int_equal(toolkit_driver("Module  999.1"), 13000);
	assert_int_equal(toolkit_driver("Module 340.1"), 0);
	assert_int_equal(toolkit_driver("no number at all"), 0);
	assert_int_equal(toolkit_driver(" 5 6 7"), 0);
	assert_int_equal(toolkit_driver(""), 0);
}

TEST(siblings_are_beside)
{
	char out[64];

	assert_int_equal(toolkit_sibling("/a b/libcudadvise_injection.so", 12,
	    out, sizeof(out)), 0);
	assert_string_equal(out, "/a b/libcudadvise_injection-12.so");
	assert_int_equal(toolkit_sibling("x.so", 13, out, sizeof(out)), 0);
	assert_string_equal(out, "libcudadvise_injection-13.so");
	assert_int_equal(toolkit_sibling("/a/x.so", 12, out, 30), -1);
}

struct seen {
	char all[16384];
	const char *until;
};

static int
note_place(const char *path, void *cookie)
{
	struct seen *s = cookie;

	assert_true(strlen(s->all) + strlen(path) + 2 < sizeof(s->all));
	strcat(s->all, path);
	strcat(s->all, "\n");
	return s->until != NULL && strcmp(path, s->until) == 0 ? 7 : 0;
}

/* before(s, a, b): ${a} is tried before ${b}. */
static void
before(const struct seen *s, const char *a, const char *b)
{
	const char *x = strstr(s->all, a), *y = strstr(s->all, b);

	assert_non_null(x);
	assert_non_null(y);
	assert_true(x < y);
}

TEST(places_suit_the_driver)
{
	struct toolkit_search search = { 12, 12060, "/home/cuda" };
	struct seen s = { "", NULL };

	assert_int_equal(toolkit_places(&search, note_place, &s), 0);
	before(&s, "/home/cuda/extras/CUPTI/lib64/libcupti.so.12\n",
	    "/usr/local/cuda-12.6/");
	before(&s, "/usr/local/cuda-12.6/lib64/libcupti.so.12\n",
	    "/usr/local/cuda-12.5/");
	before(&s, "/usr/local/cuda-12.0/", "\nlibcupti.so.12\n");
	before(&s, "/usr/local/cuda/lib64/libcupti.so.12\n",
	    "\nlibcupti.so.12\n");
	assert_null(strstr(s.all, "cuda-12.7"));
	assert_null(strstr(s.all, "libcupti.so.13"));
	/* A newer driver supports all of them. */
	s.all[0] = '\0';
	search.driver = 13000;
	search.home = NULL;
	assert_int_equal(toolkit_places(&search, note_place, &s), 0);
	before(&s, "/usr/local/cuda-12.9/", "/usr/local/cuda-12.8/");
	/* Once a callback has accepted a place, no further ones are tried. */
	s.all[0] = '\0';
	s.until = "/usr/local/cuda-12.8/lib64/libcupti.so.12";
	assert_int_equal(toolkit_places(&search, note_place, &s), 7);
	assert_null(strstr(s.all, "cuda-12.7"));
}
