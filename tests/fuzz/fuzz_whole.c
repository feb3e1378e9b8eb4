/*
 * fuzz_whole.c: a small capture through everything: uploaded, read through every
 * resource of the API, printed as by the commands, analysed again, deleted. The input
 * is fuzz_capture's. Slow: it is for what the other fuzzers cannot reach together.
 */
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "http/api.h"
#include "http/events.h"
#include "http/exchange.h"
#include "http/route.h"
#include "http/server.h"
#include "report/compare.h"
#include "report/out.h"
#include "report/text.h"

#include "fuzz/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAGE (1u << 20)

static struct service *service;
static struct http *http;

/* The current values of the {…} in paths, and of the parameters. */
static struct {
	const char *name;
	char value[64];
} names[] = {
	{ "{id}", "" }, { "{kid}", "1" }, { "{fid}", "1" }, { "{n}", "0" },
	{ "{rid}", "tail-effect" }, { "{slug}", "no-host" }, { "{code}", "x" },
	{ "base", "" }, { "target", "" }, { "limit", "2" }, { "px", "7" },
	{ "from_ns", "100000" }, { "to_ns", "900000" },
	{ "format", "json" }, { "sass", "1" }, { "sort", "launches" },
};
enum { ID, KERNEL, FINDING, BASE = 7, TARGET = 8 };

static void
open_all(void)
{
	static char path[PATH_MAX];
	struct http_options o = { .routes = api_routes,
	    .route_count = api_route_count, .unix_path = path,
	    .listen_fd = -1 };
	struct error e = ERROR_INIT;

	if (service != NULL)
		return;
	service = parts_service();
	snprintf(path, sizeof(path), "%s/api.sock", parts_directory());
	WANT((http = http_start(&o, service, &e)) != NULL);
}

static const char *
value_of(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == len &&
		    memcmp(names[i].name, name, len) == 0)
			return names[i].value;
	return NULL;
}

/* The path with its {…} filled in, and with its parameters: if ${query} all
 * that have a value, otherwise only the required ones. */
static void
target_of(const struct route *r, bool query, char *out, size_t cap)
{
	const char *p = r->path, *q = r->query != NULL ? r->query : "", *v;
	size_t n, at = 0;
	char mark = '?';

	for (; *p != '\0'; p += n) {
		n = *p == '{' ? strcspn(p, "}") + 1 : 1;
		v = *p == '{' ? value_of(p, n) : NULL;
		WANT(*p != '{' || v != NULL);
		at += (size_t)snprintf(out + at, cap - at, "%.*s", v != NULL ?
		    (int)strlen(v) : 1, v != NULL ? v : p);
	}
	for (; *q != '\0'; q += n + (q[n] == ' ')) {
		n = strcspn(q, " ");
		v = value_of(q, n);
		if (v == NULL || (!query && v != names[BASE].value &&
		    v != names[TARGET].value))
			continue;
		at += (size_t)snprintf(out + at, cap - at, "%c%.*s=%s", mark,
		    (int)n, q, v);
		mark = '&';
	}
	WANT(at < cap);
}

/* Checks what must hold for every answer. Returns its JSON, or NULL. */
static json_t *
check(const char *target, struct response *rs)
{
	const char *text = rs->fixed != NULL ? rs->fixed : rs->body;
	char events[512];
	json_t *j = NULL;

	if (rs->status < 200 || rs->status >= 500) {
		fprintf(stderr, "%s: %d %.*s\n", target, rs->status,
		    (int)rs->length, text != NULL ? text : "");
		abort();
	}
	if (rs->stream != NULL)
		event_stream_read(rs->stream, 1, events, sizeof(events));
	if (rs->type != NULL && strstr(rs->type, "json") != NULL) {
		j = rs->fd > 0 ? json_loadfd(rs->fd, 0, NULL) :
		    json_loadb(text, rs->length, 0, NULL);
		if (j == NULL)
			fprintf(stderr, "%s: no JSON: %.*s\n", target,
			    text != NULL ? (int)rs->length : 0,
			    text != NULL ? text : "");
		WANT(j != NULL);
	}
	return j;
}

/* ${upload}: a file descriptor; -1: no body. */
static json_t *
ask(const char *method, const char *target, int upload, int *status)
{
	static struct request rq;
	static struct response rs;
	struct exchange_head head = { .routes = api_routes,
	    .route_count = api_route_count, .method = method, .raw = target,
	    .raw_length = strlen(target), .max_upload = 1u << 30,
	    .content_type = upload >= 0 ? "application/octet-stream" : NULL };
	uint64_t max_body;
	json_t *j;

	memset(&rq, 0, sizeof(rq));
	memset(&rs, 0, sizeof(rs));
	rq.service = service;
	rq.http = http;
	rq.upload_fd = upload;
	rq.peer_fd = -1;
	if (exchange_begin(&head, &rq, &rs, &max_body) == 0 &&
	    exchange_body(&rq, &rs, "", 0) == 0)
		rq.route->handler(&rq, &rs);
	exchange_end(&rs);
	j = check(target, &rs);
	*status = rs.status;
	json_decref(rq.body);
	response_release(&rs);
	return j;
}

static void
id_of(int name, const char *target, const char *member)
{
	int status;
	json_t *j = ask("GET", target, -1, &status), *id;

	id = json_object_get(json_array_get(json_object_get(j, "items"), 0),
	    member);
	snprintf(names[name].value, sizeof(names[name].value), "1");
	if (json_is_integer(id))
		snprintf(names[name].value, sizeof(names[name].value),
		    "%lld", (long long)json_integer_value(id));
	else if (json_is_string(id) && json_string_length(id) < 60)
		snprintf(names[name].value, sizeof(names[name].value), "%s",
		    json_string_value(id));
	json_decref(j);
}

/* Asks for every resource, with or without its parameters. */
static void
ask_everything(bool query)
{
	char target[512];
	size_t i;
	int status;

	snprintf(target, sizeof(target), "/api/v1/runs/%s/kernels",
	    names[ID].value);
	id_of(KERNEL, target, "id");
	snprintf(target, sizeof(target), "/api/v1/runs/%s/findings",
	    names[ID].value);
	id_of(FINDING, target, "id");
	for (i = 0; i < api_route_count; i++) {
		if (api_routes[i].method != HTTP_GET)
			continue;
		target_of(&api_routes[i], query, target, sizeof(target));
		json_decref(ask("GET", target, -1, &status));
	}
}

/* Prints the documents as the commands do. */
static void
draw(const json_t *all)
{
	static char text[PAGE];
	struct report r = {
		.run = json_object_get(all, "run"),
		.findings = json_object_get(all, "findings"),
		.kernels = json_object_get(all, "kernels"),
		.diagnostics = json_object_get(all, "diagnostics"),
		.name = "41", .verbose = true,
	};
	struct compare_side side = { r.run, r.findings, r.kernels };
	json_t *compare = compare_runs(&side, &side, true);
	struct out o = { .width = 80, .utf8 = true };

	WANT((o.file = fmemopen(text, sizeof(text), "w")) != NULL);
	text_report(&o, &r);
	text_findings(&o, &r, true);
	text_checklist(&o, &r, json_object_get(all, "checklist"));
	text_compare_head(&o, compare, "40", "41");
	text_compare(&o, compare);
	text_outcomes(&o, compare, "40", "41");
	fflush(o.file);
	parts_check_page(text, (size_t)ftell(o.file));
	fclose(o.file);
	json_decref(compare);
}

static void
whole_way(int fd, size_t size)
{
	char target[128];
	json_t *j = ask("POST", "/api/v1/runs", fd, &(int){ 0 });
	json_int_t number = json_integer_value(json_object_get(j, "number"));
	int status;

	json_decref(j);
	if (number == 0)
		return;
	snprintf(names[ID].value, 24, "%lld", (long long)number);
	memcpy(names[BASE].value, names[ID].value, 24);
	memcpy(names[TARGET].value, names[ID].value, 24);
	ask_everything(size & 1);
	snprintf(target, sizeof(target), "/api/v1/runs/%s/export?format=json",
	    names[ID].value);
	j = ask("GET", target, -1, &status);
	WANT(status == 200 && json_object_get(j, "run") != NULL);
	draw(j);
	json_decref(j);
	snprintf(target, sizeof(target), "/api/v1/runs/%s/reanalyze",
	    names[ID].value);
	if (size & 2) {
		json_decref(ask("POST", target, -1, &status));
		WANT(status == 200);
	}
	snprintf(target, sizeof(target), "/api/v1/runs/%s", names[ID].value);
	json_decref(ask("DELETE", target, -1, &status));
	WANT(status == 204);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t frames[1 << 20];
	struct input in = { data, size };
	size_t n;
	int fd;

	if (size < 1)
		return 0;
	open_all();
	if (input_u8(&in) == 0) {
		n = in.len;
		memcpy(frames, in.p, n);
	} else {
		n = input_frames(&in, frames, sizeof(frames));
	}
	WANT((fd = memfd_create("capture", MFD_CLOEXEC)) >= 0);
	WANT(write(fd, frames, n) == (ssize_t)n);
	WANT(lseek(fd, 0, SEEK_SET) == 0);
	whole_way(fd, size);
	close(fd);
	return 0;
}
