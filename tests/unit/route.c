/* The request target, the route table, and that the table agrees with the
 * OpenAPI document. */
#include <stdio.h>
#include <string.h>
#include <jansson.h>

#include "http/api.h"
#include "http/route.h"
#include "unit/test.h"

static enum target_status
parse(struct target *t, const char *raw)
{
	return target_parse(t, raw, strlen(raw));
}

TEST(test_segments)
{
	struct target t;

	assert_int_equal(parse(&t, "/"), TARGET_OK);
	assert_int_equal(t.segments, 0);
	assert_int_equal(parse(&t, "/api/v1/runs/a%20b%2Bc"), TARGET_OK);
	assert_int_equal(t.segments, 4);
	assert_string_equal(t.segment[3], "a b+c");
	assert_int_equal(parse(&t, "/a+b"), TARGET_OK);
	assert_string_equal(t.segment[0], "a+b");
}

TEST(test_query)
{
	struct target t;

	assert_int_equal(parse(&t, "/r?limit=5&cursor=a%26b+c&x"), TARGET_OK);
	assert_int_equal(t.queries, 3);
	assert_string_equal(t.query[0].name, "limit");
	assert_string_equal(t.query[0].value, "5");
	assert_string_equal(t.query[1].value, "a&b c");
	assert_string_equal(t.query[2].name, "x");
	assert_string_equal(t.query[2].value, "");
	assert_int_equal(parse(&t, "/?a=1"), TARGET_OK);
	assert_int_equal(t.segments, 0);
	assert_int_equal(t.queries, 1);
	assert_int_equal(parse(&t, "/r?"), TARGET_OK);
	assert_int_equal(parse(&t, "/r?a=1&a=2"), TARGET_TWICE);
	assert_string_equal(t.offender, "a");
	assert_int_equal(parse(&t, "/r?a=1&%61=2"), TARGET_TWICE);
}

TEST(test_hostile)
{
	static const char *const bad[] = {
		"", "api", "*", "http://127.0.0.1/", "//", "/a//b", "/a/",
		"/..", "/a/../b", "/.", "/%2e%2e/etc/passwd", "/a%2fb", "/%00",
		"/%", "/%4", "/%zz", "/a\nb", "/a%0d%0aSet-Cookie:x", "/%ff",
		"/%c0%af", "/%ed%a0%80", "/%f4%90%80%80", "/a?=1", "/a?x=%00",
		"/a?x=%80", "/a?%", "/a?&", "/a?x=1&&y=2",
	};
	char large[TARGET_MAX + 8], many[64] = "";
	struct target t;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (parse(&t, bad[i]) != TARGET_BAD)
			fail_msg("'%s' was accepted", bad[i]);
	assert_int_equal(target_parse(&t, "/a\0b", 4), TARGET_BAD);
	memset(large, 'a', sizeof(large));
	large[0] = '/';
	assert_int_equal(target_parse(&t, large, TARGET_MAX - 1), TARGET_OK);
	assert_int_equal(target_parse(&t, large, TARGET_MAX), TARGET_TOO_LONG);
	for (i = 0; i < TARGET_SEGMENTS; i++)
		strcat(many, "/a");
	assert_int_equal(parse(&t, many), TARGET_OK);
	strcat(many, "/a");
	assert_int_equal(parse(&t, many), TARGET_TOO_LONG);
	memcpy(large, "/?", 3);
	for (i = 0; i <= TARGET_QUERIES; i++) {
		char one[8];

		snprintf(one, sizeof(one), "&a%zu=" + (i == 0), i);
		strcat(large, one);
	}
	assert_int_equal(parse(&t, large), TARGET_TOO_LONG);
}

static enum route_status
find(enum http_method method, const char *raw, const char *param[2],
    const struct route **r)
{
	static struct target t;

	assert_int_equal(parse(&t, raw), TARGET_OK);
	return route_find(api_routes, api_route_count, method, &t, param, r);
}

TEST(test_find)
{
	const char *param[2];
	const struct route *r;
	struct target t;
	char allow[64];

	assert_int_equal(find(HTTP_GET, "/api/v1/runs/41/kernels/7/metrics",
	    param, &r), ROUTE_FOUND);
	assert_string_equal(r->operation, "listMetrics");
	assert_string_equal(param[0], "41");
	assert_string_equal(param[1], "7");
	assert_int_equal(find(HTTP_GET, "/", param, &r), ROUTE_FOUND);
	assert_int_equal(r->access, ACCESS_PUBLIC);
	assert_int_equal(find(HTTP_GET, "/api", param, &r), ROUTE_NO_PATH);
	assert_null(r);
	assert_int_equal(find(HTTP_GET, "/api/v1/runs/41/kernel", param, &r),
	    ROUTE_NO_PATH);
	assert_int_equal(find(HTTP_GET, "/api/v1/run", param, &r),
	    ROUTE_NO_PATH);
	assert_int_equal(find(HTTP_POST, "/api/v1/runs/41", param, &r),
	    ROUTE_NO_METHOD);
	parse(&t, "/api/v1/runs/41");
	route_allow(api_routes, api_route_count, &t, allow, sizeof(allow));
	assert_string_equal(allow, "GET, HEAD, PATCH, DELETE");
	route_allow(api_routes, api_route_count, &t, allow, 8);
	assert_true(strlen(allow) < 8);
}

TEST(test_unknown_query)
{
	const char *param[2];
	const struct route *r;
	struct target t;

	assert_int_equal(find(HTTP_GET, "/api/v1/runs", param, &r),
	    ROUTE_FOUND);
	parse(&t, "/api/v1/runs?limit=1&sort=number");
	assert_null(route_bad_query(r, &t));
	parse(&t, "/api/v1/runs?limit=1&limi=2");
	assert_string_equal(route_bad_query(r, &t), "limi");
	parse(&t, "/api/v1/runs?limit+cursor=1");
	assert_string_equal(route_bad_query(r, &t), "limit cursor");
	assert_int_equal(find(HTTP_GET, "/api/v1/version", param, &r),
	    ROUTE_FOUND);
	parse(&t, "/api/v1/version?x");
	assert_string_equal(route_bad_query(r, &t), "x");
}

/* --- the OpenAPI document ---------------------------------------------------- */

/* The document as it is served. */
static json_t *
openapi(void)
{
	static const struct route route = { .arg = "openapi.json" };
	struct request rq = { .route = &route };
	struct response rs = { 0 };
	json_error_t e;
	json_t *j;

	assets_get(&rq, &rs);
	j = json_loadb(rs.fixed, rs.length, JSON_REJECT_DUPLICATES, &e);

	if (j == NULL)
		fail_msg("openapi.json: line %d: %s", e.line, e.text);
	return j;
}

/* A parameter object, with its $ref resolved. */
static json_t *
parameter(json_t *doc, json_t *p)
{
	const char *ref = json_string_value(json_object_get(p, "$ref"));

	if (ref == NULL)
		return p;
	assert_memory_equal(ref, "#/components/parameters/", 24);
	p = json_object_get(json_object_get(json_object_get(doc,
	    "components"), "parameters"), ref + 24);
	assert_non_null(p);
	return p;
}

/* The query parameters of ${op} must be the words of ${r}->query, and its path
 * parameters those of the path. */
static void
check_parameters(json_t *doc, json_t *op, const struct route *r)
{
	json_t *p, *list = json_object_get(op, "parameters");
	size_t i, in_query = 0, words = 0;
	char braced[64];
	const char *q;

	json_array_foreach(list, i, p) {
		const char *name, *in;
		struct target t = { .queries = 1 };

		p = parameter(doc, p);
		name = json_string_value(json_object_get(p, "name"));
		in = json_string_value(json_object_get(p, "in"));
		if (strcmp(in, "query") == 0) {
			in_query++;
			t.query[0].name = name;
			if (route_bad_query(r, &t) != NULL)
				fail_msg("%s does not take %s", r->path, name);
		} else if (strcmp(in, "path") == 0) {
			snprintf(braced, sizeof(braced), "{%s}", name);
			if (strstr(r->path, braced) == NULL)
				fail_msg("%s has no %s", r->path, braced);
		}
	}
	for (q = r->query; q != NULL && *q != '\0'; q += strspn(q, " ")) {
		q += strcspn(q, " ");
		words++;
	}
	if (words != in_query)
		fail_msg("%s: %zu query parameters, %zu documented", r->path,
		    words, in_query);
}

static json_t *
operation(json_t *doc, const struct route *r)
{
	static const char *const lower[HTTP_METHODS] = { "get", "post",
		"patch", "delete" };
	json_t *path = json_object_get(json_object_get(doc, "paths"),
	    r->path);

	return json_object_get(path, lower[r->method]);
}

TEST(test_table_is_documented)
{
	json_t *doc = openapi(), *op, *body;
	const struct route *r;
	size_t i;

	for (i = 0; i < api_route_count; i++) {
		r = &api_routes[i];
		if (r->operation == NULL)
			continue;
		op = operation(doc, r);
		if (op == NULL)
			fail_msg("%s %s is not in openapi.json",
			    http_method_name[r->method], r->path);
		assert_string_equal(r->operation, json_string_value(
		    json_object_get(op, "operationId")));
		assert_string_equal(r->summary, json_string_value(
		    json_object_get(op, "summary")));
		check_parameters(doc, op, r);
		body = json_object_get(json_object_get(op, "requestBody"),
		    "content");
		assert_int_equal(!!(r->flags & ROUTE_BODY),
		    json_object_get(body, "application/json") != NULL);
		assert_int_equal(!!(r->flags & ROUTE_UPLOAD), json_object_get(
		    body, "application/octet-stream") != NULL);
	}
	json_decref(doc);
}

TEST(test_document_is_served)
{
	json_t *doc = openapi(), *methods, *op;
	const char *path, *method;
	size_t documented = 0, rows = 0, i;

	json_object_foreach(json_object_get(doc, "paths"), path, methods)
		json_object_foreach(methods, method, op)
			documented++;
	for (i = 0; i < api_route_count; i++)
		if (api_routes[i].operation != NULL) {
			rows++;
			assert_non_null(operation(doc, &api_routes[i]));
		}
	/* Every row has an operation, so with equal counts there is no other. */
	assert_int_equal(documented, rows);
	json_decref(doc);
}

TEST(test_rows_differ)
{
	size_t i, j;

	for (i = 0; i < api_route_count; i++)
		for (j = i + 1; j < api_route_count; j++)
			assert_false(api_routes[i].method ==
			    api_routes[j].method && strcmp(api_routes[i].path,
			    api_routes[j].path) == 0);
}
