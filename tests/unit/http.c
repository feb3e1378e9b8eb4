/* Access rules, what a body must be, and the format of problems and tokens. */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "http/api.h"
#include "http/exchange.h"
#include "http/peer.h"
#include "http/route.h"
#include "http/token.h"
#include "unit/test.h"

#define TOKEN								\
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

TEST(test_host)
{
	static const char *const good[] = { "127.0.0.1:4711",
		"localhost:4711", "LOCALHOST:4711", "[::1]:4711" };
	static const char *const bad[] = { "", "127.0.0.1", "127.0.0.1:47110",
		"127.0.0.1:471", "127.0.0.1:4711 ", "127.0.0.1:4711.evil.org",
		"evil.org:4711", "localhost.evil.org:4711", "127.0.0.2:4711",
		"0.0.0.0:4711", "[::]:4711", "::1:4711", "localhost",
		"x@localhost:4711" };
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(guard_host(good[i], 4711));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (guard_host(bad[i], 4711))
			fail_msg("host '%s' was accepted", bad[i]);
	assert_true(guard_host("localhost", 80));
}

TEST(test_guard)
{
	struct guard_headers h = { "127.0.0.1:1", NULL, NULL,
		"Bearer " TOKEN };

	assert_int_equal(guard_check(&h, 1, TOKEN), GUARD_OK);
	h.fetch_site = "same-origin";
	h.origin = "http://127.0.0.1:1";
	assert_int_equal(guard_check(&h, 1, TOKEN), GUARD_OK);
	h.fetch_site = "none";
	assert_int_equal(guard_check(&h, 1, TOKEN), GUARD_OK);
	h.fetch_site = "same-site";
	assert_int_equal(guard_check(&h, 1, TOKEN), GUARD_CROSS_SITE);
	h.fetch_site = "cross-site";
	assert_int_equal(guard_check(&h, 1, NULL), GUARD_CROSS_SITE);
	h.fetch_site = NULL;
	h.origin = "http://127.0.0.1:2";
	assert_int_equal(guard_check(&h, 1, TOKEN), GUARD_CROSS_SITE);
	h.origin = "http://localhost:1";
	assert_int_equal(guard_check(&h, 1, TOKEN), GUARD_CROSS_SITE);
	h.origin = "https://127.0.0.1:1";
	assert_int_equal(guard_check(&h, 1, TOKEN), GUARD_CROSS_SITE);
	h.origin = "null";
	assert_int_equal(guard_check(&h, 1, TOKEN), GUARD_CROSS_SITE);
	h.origin = NULL;
	h.host = NULL;
	assert_int_equal(guard_check(&h, 1, TOKEN), GUARD_NO_HOST);
	h.host = "evil.org:1";
	assert_int_equal(guard_check(&h, 1, TOKEN), GUARD_HOST);
}

TEST(test_token)
{
	char other[] = "Bearer " TOKEN;

	assert_true(guard_token(TOKEN, "Bearer " TOKEN));
	assert_true(guard_token(TOKEN, "bearer " TOKEN));
	assert_false(guard_token(TOKEN, NULL));
	assert_false(guard_token(TOKEN, ""));
	assert_false(guard_token(TOKEN, "Bearer "));
	assert_false(guard_token(TOKEN, TOKEN));
	assert_false(guard_token(TOKEN, "Basic " TOKEN));
	assert_false(guard_token(TOKEN, "Bearer " TOKEN "0"));
	assert_false(guard_token("", "Bearer "));
	for (size_t i = 7; i < sizeof(other) - 1; i++) {
		other[i] ^= 1;
		assert_false(guard_token(TOKEN, other));
		other[i] ^= 1;
	}
}

TEST(test_token_made)
{
	char first[TOKEN_TEXT + 1], again[TOKEN_TEXT + 1];
	struct error e = ERROR_INIT;

	assert_int_equal(token_make(first, &e), 0);
	assert_int_equal(strspn(first, "0123456789abcdef"), TOKEN_TEXT);
	assert_int_equal(strlen(first), TOKEN_TEXT);
	assert_int_equal(token_make(again, &e), 0);
	assert_string_not_equal(first, again);
}

/* A code works once, within its time, and only complete. */
TEST(test_codes)
{
	struct codes c = { { { "", 0 } } };
	char code[CODES_MAX + 1][CODE_TEXT + 1], other[CODE_TEXT + 1];
	struct error e = ERROR_INIT;
	uint64_t late = CODE_LIFE_NS;
	size_t i;

	assert_false(code_take(&c, 0, ""));
	memset(other, 0, sizeof(other));
	assert_false(code_take(&c, 0, other));
	for (i = 0; i <= CODES_MAX; i++)
		assert_int_equal(code_issue(&c, 1 + i, code[i], &e), 0);
	/* One more than there is room for: the oldest was removed. */
	assert_false(code_holds(&c, 50, code[0]));
	for (i = 1; i <= CODES_MAX; i++)
		assert_true(code_holds(&c, 50, code[i]));
	for (i = 0; i < CODE_TEXT; i++) {
		memcpy(other, code[1], sizeof(other));
		other[i] ^= 1;
		assert_false(code_take(&c, 50, other));
	}
	assert_true(code_take(&c, 50, code[1]));
	assert_false(code_take(&c, 50, code[1]));
	assert_false(code_holds(&c, 50, code[1]));
	assert_true(code_take(&c, late, code[2]));
	assert_false(code_take(&c, late + 4, code[3]));
	assert_true(code_take(&c, late + 4, code[4]));
}

/* The peer of a connection to ourselves, over IPv4 and IPv6. */
static void
peer_of(int family)
{
	struct sockaddr_storage a = { .ss_family = (sa_family_t)family };
	socklen_t size = sizeof(a);
	int l = socket(family, SOCK_STREAM, 0), c, s;
	uid_t uid = (uid_t)-2;

	if (family == AF_INET)
		((struct sockaddr_in *)&a)->sin_addr.s_addr =
		    htonl(INADDR_LOOPBACK);
	else
		((struct sockaddr_in6 *)&a)->sin6_addr = in6addr_loopback;
	if (l < 0 || bind(l, (struct sockaddr *)&a, size) != 0) {
		assert_int_not_equal(family, AF_INET);
		return;			/* no IPv6 here */
	}
	assert_int_equal(listen(l, 1), 0);
	assert_int_equal(getsockname(l, (struct sockaddr *)&a, &size), 0);
	c = socket(family, SOCK_STREAM, 0);
	assert_int_equal(connect(c, (struct sockaddr *)&a, size), 0);
	s = accept(l, NULL, NULL);
	assert_int_equal(peer_uid(s, &uid), 0);
	assert_int_equal(uid, geteuid());
	assert_true(peer_is_us(s));
	close(c);
	close(s);
	/* A socket without a connection. */
	assert_int_equal(peer_uid(l, &uid), -1);
	assert_false(peer_is_us(l));
	close(l);
	assert_false(peer_is_us(-1));
}

TEST(test_peer)
{
	peer_of(AF_INET);
	peer_of(AF_INET6);
}

/* --- exchanges -------------------------------------------------------------- */

struct asked {
	struct request rq;
	struct response rs;
	uint64_t max_body;
};

/* Begins an allowed request over TCP, with the changes in ${head}. */
static int
ask(struct asked *a, const char *method, const char *raw,
    const struct exchange_head *change)
{
	struct exchange_head head = { .routes = api_routes,
		.route_count = api_route_count, .tcp = true, .port = 1, .token = TOKEN,
		.guard = { .host = "localhost:1",
		    .authorization = "Bearer " TOKEN },
		.max_upload = 1 << 20 };

	memset(a, 0, sizeof(*a));
	if (change != NULL) {
		head.content_type = change->content_type;
		head.content_length = change->content_length;
		head.chunked = change->chunked;
		head.repeated = change->repeated;
		if (change->guard.authorization != NULL)
			head.guard.authorization = change->guard.authorization;
		if (change->guard.host != NULL)
			head.guard.host = change->guard.host;
	}
	head.method = method;
	head.raw = raw;
	head.raw_length = strlen(raw);
	return exchange_begin(&head, &a->rq, &a->rs, &a->max_body);
}

static void
expect(int status, const char *method, const char *raw,
    const struct exchange_head *change)
{
	struct asked a;
	json_t *j;

	assert_int_equal(ask(&a, method, raw, change), status == 0 ? 0 : -1);
	if (a.rs.status != status)
		fail_msg("%s %s: status %d, not %d", method, raw, a.rs.status,
		    status);
	if (status != 0) {
		assert_string_equal(a.rs.type, "application/problem+json");
		j = json_loadb(a.rs.body, a.rs.length, 0, NULL);
		assert_int_equal(json_integer_value(json_object_get(j,
		    "status")), status);
		json_decref(j);
	}
	response_release(&a.rs);
}

TEST(test_begin)
{
	expect(0, "GET", "/api/v1/runs?limit=3", NULL);
	expect(0, "HEAD", "/api/v1/runs", NULL);
	expect(404, "GET", "/api/v2/runs", NULL);
	expect(400, "GET", "/api/v1/runs?nope=3", NULL);
	expect(400, "GET", "/api/v1/runs?limit=3&limit=3", NULL);
	expect(400, "GET", "/api/v1/%2e%2e/x", NULL);
	expect(405, "PUT", "/api/v1/runs", NULL);
	expect(405, "DELETE", "/api/v1/runs", NULL);
	expect(405, "OPTIONS", "/api/v1/runs", NULL);
	expect(403, "POST", "/api/v1/shutdown", NULL);
	expect(401, "GET", "/api/v1/runs", &(struct exchange_head){
	    .guard.authorization = "Bearer x" });
	/* Without a token an unknown path gets the same answer as a known one. */
	expect(401, "GET", "/api/v1/nope", &(struct exchange_head){
	    .guard.authorization = "Bearer x" });
	expect(0, "GET", "/app.js", &(struct exchange_head){
	    .guard.authorization = "Bearer x" });
	expect(403, "GET", "/app.js", &(struct exchange_head){
	    .guard.host = "evil.org:1" });
	expect(400, "GET", "/api/v1/runs", &(struct exchange_head){
	    .repeated = true });
}

TEST(test_body_header)
{
	const struct exchange_head json = { .content_type =
	    "application/json; charset=utf-8", .content_length = "10" };
	const struct exchange_head large = { .content_type =
	    "application/json", .content_length = "65537" };
	const struct exchange_head odd = { .content_type = "application/json",
		.content_length = "-1" };
	const struct exchange_head form = { .content_type =
	    "application/x-www-form-urlencoded", .content_length = "10" };
	const struct exchange_head jsonx = { .content_type =
	    "application/jsonx", .content_length = "10" };
	const struct exchange_head capture = { .content_type =
	    "application/octet-stream", .content_length = "1048576" };
	const struct exchange_head too_large = { .content_type =
	    "application/octet-stream", .content_length = "1048577" };
	const struct exchange_head chunked = { .chunked = true };

	expect(0, "PATCH", "/api/v1/runs/1", &json);
	expect(413, "PATCH", "/api/v1/runs/1", &large);
	expect(400, "PATCH", "/api/v1/runs/1", &odd);
	expect(415, "PATCH", "/api/v1/runs/1", &form);
	expect(415, "PATCH", "/api/v1/runs/1", &jsonx);
	expect(415, "PATCH", "/api/v1/runs/1", NULL);
	expect(0, "POST", "/api/v1/runs", &capture);
	expect(413, "POST", "/api/v1/runs", &too_large);
	expect(415, "POST", "/api/v1/runs", &json);
	expect(413, "GET", "/api/v1/runs", &json);
	expect(413, "GET", "/api/v1/runs", &chunked);
	expect(0, "POST", "/api/v1/runs/1/reanalyze", NULL);
	expect(415, "POST", "/api/v1/runs/1/reanalyze", &form);
}

static void
body(int status, const char *text)
{
	struct asked a;

	assert_int_equal(ask(&a, "PATCH", "/api/v1/runs/1",
	    &(struct exchange_head){ .content_type = "application/json" }), 0);
	assert_int_equal(exchange_body(&a.rq, &a.rs, text, strlen(text)),
	    status == 0 ? 0 : -1);
	assert_int_equal(a.rs.status, status);
	json_decref(a.rq.body);
	response_release(&a.rs);
}

TEST(test_body)
{
	body(0, "{}");
	body(0, "{\"label\":\"x\"}");
	body(400, "");
	body(400, "{");
	body(400, "[]");
	body(400, "null");
	body(400, "{} x");
	body(400, "{\"a\":1,\"a\":2}");
	body(400, "{\"a\":\"\xff\"}");
	body(400, "{\"a\":\"\\u0000\"}");
	body(400, "{\"a\":NaN}");
	body(400, "{'a':1}");
}

TEST(test_unknown_member)
{
	struct request rq = { 0 };
	struct response rs = { 0 };
	json_t *j;

	rq.body = json_pack("{s:s, s:b}", "label", "x", "pinned", 1);
	assert_int_equal(api_body_known(&rq, &rs, "label pinned"), 0);
	json_object_set_new(rq.body, "labe", json_null());
	assert_int_equal(api_body_known(&rq, &rs, "label pinned"), -1);
	assert_int_equal(rs.status, 400);
	j = json_loadb(rs.body, rs.length, 0, NULL);
	assert_string_equal("/labe", json_string_value(json_object_get(
	    json_array_get(json_object_get(j, "errors"), 0), "pointer")));
	json_decref(j);
	json_object_clear(rq.body);
	json_object_set_new(rq.body, "label pinned", json_null());
	assert_int_equal(api_body_known(&rq, &rs, "label pinned"), -1);
	response_release(&rs);
	json_decref(rq.body);
}

TEST(test_problem)
{
	struct response rs = { 0 };
	char *page;

	respond_problem(&rs, PROBLEM_NO_RUN, NULL, "there is no run '%s'",
	    "\xff\xfe");
	assert_int_equal(rs.status, 404);	/* even if it cannot be shown */
	assert_non_null(rs.body);
	response_release(&rs);
	page = problem_page("no-such-run");
	assert_non_null(page);
	assert_non_null(strstr(page, "404"));
	free(page);
	assert_null(problem_page("../../etc/passwd"));
}

TEST(test_object_version)
{
	struct body t = { 0 };

	body_add(&t, BODY_START);
	body_add_object(&t, "{\"a\":1}");
	assert_string_equal(t.p, "{\"schema_version\":1,\"a\":1}");
	free(t.p);
	memset(&t, 0, sizeof(t));
	body_add(&t, BODY_START);
	body_add_object(&t, "{\"schema_version\":1,\"a\":1}");
	assert_string_equal(t.p, "{\"schema_version\":1,\"a\":1}");
	free(t.p);
	memset(&t, 0, sizeof(t));
	body_add(&t, BODY_START);
	body_add_object(&t, "{}");
	assert_string_equal(t.p, "{\"schema_version\":1}");
	free(t.p);
}
