#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/build.h"
#include "base/error.h"
#include "service/service.h"
#include "report/json.h"
#include "report/json_util.h"
#include "rules/engine/finding.h"
#include "wire/record.h"

#include "http/api.h"
#include "http/events.h"
#include "http/server.h"
#include "http/stats.h"
#include "http/token.h"

void
meta_version(struct request *rq, struct response *rs)
{
	char build[BUILD_SIZE];

	(void)rq;
	/* Of the running file, even if it was replaced since. */
	build_of("/proc/self/exe", build);
	rs->live = true;
	respond_json(rs, 200, json_pack("{s:i, s:s, s:s, s:s, s:s, s:i}",
	    "schema_version", SCHEMA_VERSION, "name", "cudadvise",
	    "version", CUDADVISE_VERSION, "build", build, "api", "v1",
	    "wire_protocol", (int)WIRE_PROTOCOL));
}

/* The current storage error; JSON null if there is none. */
static json_t *
problem_now(struct service *s)
{
	struct service_trouble t;

	if (!service_trouble(s, NULL, &t))
		return json_null();
	return json_pack("{s:o, s:o, s:o}",
	    "run", json_text(t.run),
	    "text", json_text(t.text),
	    "remedy", json_text(t.remedy[0] != '\0' ? t.remedy : NULL));
}

void
meta_health(struct request *rq, struct response *rs)
{
	json_t *problem = problem_now(rq->service);
	struct service_counters c;
	struct timespec now;
	double up;

	service_counters(rq->service, &c);
	clock_gettime(CLOCK_REALTIME, &now);
	up = (double)now.tv_sec - (double)(c.started_ns / 1000000000);
	rs->live = true;
	respond_json(rs, 200, json_pack("{s:i, s:s, s:o, s:f, s:I, s:I, s:I,"
	    "s:I, s:I, s:I}", "schema_version", SCHEMA_VERSION,
	    "status", json_is_null(problem) ? "ok" : "degraded",
	    "problem", problem,
	    "uptime_s", up > 0 ? up : 0.0,
	    "runs_live", (json_int_t)c.runs_live,
	    "runs_finished", (json_int_t)c.runs_finished,
	    "records", (json_int_t)c.records,
	    "connections_open", (json_int_t)c.connections_open,
	    "capture_errors", (json_int_t)c.capture_errors,
	    "dropped_peers", (json_int_t)c.dropped_peers));
}

struct exposed {
	const char *name, *type, *help;
	uint64_t value;
};

/* ${ns}: the value is in nanoseconds and is printed in seconds. */
static void
expose(struct body *t, const struct exposed *x, bool ns)
{
	char line[400], value[40];

	if (ns)
		snprintf(value, sizeof(value), "%" PRIu64 ".%09u",
		    x->value / 1000000000, (unsigned)(x->value % 1000000000));
	else
		snprintf(value, sizeof(value), "%" PRIu64, x->value);
	snprintf(line, sizeof(line), "# HELP cudadvise_%s %s\n"
	    "# TYPE cudadvise_%s %s\ncudadvise_%s %s\n", x->name, x->help,
	    x->name, x->type, x->name, value);
	body_add(t, line);
}

static void
expose_held(struct body *t, const struct service_counters *c)
{
	const struct exposed table[] = {
		{ "held_seconds_total", "counter", "Time that measuring held programs, "
		    "but for set-up and replays.", c->held_ns },
		{ "held_longest_seconds", "gauge", "The longest of it at one place.",
		    c->held_longest_ns },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		expose(t, &table[i], true);
}

void
meta_metrics(struct request *rq, struct response *rs)
{
	struct service_counters c;
	struct http_stats h;
	struct body t = { 0 };
	char line[400];
	size_t i;

	service_counters(rq->service, &c);
	http_stats(rq->http, &h);

	const struct exposed table[] = {
		{ "records_total", "counter", "Records received on the socket.",
		    c.records },
		{ "frames_total", "counter", "Frames received on the socket.",
		    c.frames },
		{ "received_bytes_total", "counter", "Bytes received on the socket.",
		    c.bytes },
		{ "connections_total", "counter", "Connections of targets.",
		    c.connections },
		{ "connections_open", "gauge", "Targets connected now.",
		    c.connections_open },
		{ "peers_dropped_total", "counter",
		    "Targets disconnected for what they sent.", c.dropped_peers },
		{ "peers_refused_total", "counter",
		    "Targets refused: another user, or too many.", c.refused_peers },
		{ "capture_bytes_total", "counter", "Bytes written to captures.",
		    c.capture_bytes },
		{ "capture_errors_total", "counter",
		    "Writes to captures that failed.", c.capture_errors },
		{ "runs_live", "gauge", "Runs whose program still runs.",
		    c.runs_live },
		{ "runs_finished_total", "counter", "Runs that have ended.",
		    c.runs_finished },
		{ "spools_merged_total", "counter", "Spool files taken in.",
		    c.spools_merged },
		{ "http_requests_total", "counter", "HTTP requests answered.",
		    h.requests },
		{ "http_errors_total", "counter", "Of those, with a 5xx status.",
		    h.errors },
		{ "http_refused_total", "counter",
		    "Requests with a wrong token, host or origin.", h.refused },
		{ "http_streams_open", "gauge", "Event streams open now.",
		    h.streams },
		{ "start_time_seconds", "gauge", "When the daemon started.",
		    c.started_ns / 1000000000 },
	};

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		expose(&t, &table[i], false);
	expose_held(&t, &c);
	snprintf(line, sizeof(line), "# HELP cudadvise_build_info Version of "
	    "the daemon.\n# TYPE cudadvise_build_info gauge\n"
	    "cudadvise_build_info{version=\"%s\"} 1\n", CUDADVISE_VERSION);
	body_add(&t, line);
	body_finish(&t, rs);
	if (rs->status == 200)
		rs->type = "text/plain; version=0.0.4; charset=utf-8";
	rs->live = true;
}

void
meta_rules(struct request *rq, struct response *rs)
{
	struct body t = { 0 };

	(void)rq;
	body_add(&t, BODY_START ",\"items\":");
	body_add_json(&t, json_rules());
	body_add(&t, ",\"next_cursor\":null}");
	body_finish(&t, rs);
	rs->live = true;
}

void
meta_rule(struct request *rq, struct response *rs)
{
	const struct rule_info *rule = rule_find(rq->param[0]);
	json_t *j;

	rs->live = true;
	if (rule == NULL) {
		respond_problem(rs, PROBLEM_NO_RULE, NULL,
		    "there is no rule '%.64s'", rq->param[0]);
		return;
	}
	j = json_rule(rule);
	if (j != NULL)
		json_object_set_new(j, "schema_version", json_integer(1));
	respond_json(rs, 200, j);
}

static void
open_stream(struct request *rq, struct response *rs, int64_t run)
{
	rs->stream = event_stream_new(rq->service, run, rq->last_event_id);
	if (rs->stream == NULL) {
		respond_problem(rs, PROBLEM_BUSY, NULL, "out of memory");
		return;
	}
	rs->status = 200;
	rs->type = "text/event-stream";
	rs->live = true;
}

void
meta_events(struct request *rq, struct response *rs)
{
	open_stream(rq, rs, 0);
}

void
meta_run_events(struct request *rq, struct response *rs)
{
	struct store_run run;

	if (api_run(rq, rs, &run) < 0)
		return;
	open_stream(rq, rs, run.number);
	store_run_clear(&run);
}

static void
say_address(struct request *rq, struct response *rs, bool open)
{
	struct error e = ERROR_INIT;
	char url[256], once[256];
	json_t *answer;

	rs->live = true;
	if (http_url(rq->http, url, sizeof(url)) < 0 || (open &&
	    http_open_url(rq->http, once, sizeof(once), &e) < 0)) {
		respond_problem(rs, PROBLEM_INTERNAL, NULL, "%s", e.set ?
		    e.text : "no address");
		return;
	}
	answer = json_pack("{s:i, s:s, s:i}", "schema_version",
	    SCHEMA_VERSION, "url", url, "port", http_port(rq->http));
	if (open && answer != NULL)
		json_object_set_new(answer, "open_url", json_string(once));
	respond_json(rs, 200, answer);
}

void
meta_dashboard(struct request *rq, struct response *rs)
{
	struct error e = ERROR_INIT;
	json_t *port = json_object_get(rq->body, "port");
	json_t *open = json_object_get(rq->body, "open");

	if (api_body_known(rq, rs, "port open") < 0)
		return;
	if (open != NULL && !json_is_boolean(open)) {
		respond_problem(rs, PROBLEM_BAD_BODY, "/open",
		    "open must be true or false");
		return;
	}
	if (port != NULL && (!json_is_integer(port) ||
	    json_integer_value(port) < 0 ||
	    json_integer_value(port) > 65535)) {
		respond_problem(rs, PROBLEM_BAD_BODY, "/port",
		    "port must be a number from 0 to 65535");
		return;
	}
	if (http_open_tcp(rq->http, port != NULL ?
	    (int)json_integer_value(port) : -1, &e) < 0) {
		respond_problem(rs, PROBLEM_CONFLICT, NULL, "%s%s%s", e.text,
		    e.remedy[0] != '\0' ? "; " : "", e.remedy);
		return;
	}
	say_address(rq, rs, json_is_true(open));
}

/* Without a valid code it redirects to the page without a token, which explains how to
 * get one. */
void
meta_open(struct request *rq, struct response *rs)
{
	char token[TOKEN_TEXT + 1];

	rs->live = true;
	rs->status = 303;
	if (http_exchange(rq->http, rq->tcp, rq->peer_fd, rq->param[0], token))
		respond_header(rs, "Location", "/#token=%s", token);
	else
		respond_header(rs, "Location", "/");
}

void
meta_shutdown(struct request *rq, struct response *rs)
{
	if (api_body_known(rq, rs, "") < 0)
		return;
	rs->live = true;
	rs->shutdown = true;
	respond_json(rs, 202, json_pack("{s:i, s:s}", "schema_version",
	    SCHEMA_VERSION, "status", "stopping"));
}

void
meta_problem(struct request *rq, struct response *rs)
{
	char *page = problem_page(rq->param[0]);

	if (page == NULL) {
		respond_problem(rs, PROBLEM_NO_PATH, NULL,
		    "there is no problem of that name");
		return;
	}
	respond_text(rs, 200, "text/plain; charset=utf-8", page,
	    strlen(page));
	rs->live = true;
}
