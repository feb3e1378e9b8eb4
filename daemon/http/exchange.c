#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

#include "http/exchange.h"
#include "http/problem.h"
#include "http/route.h"

/* Whether ${type} is the media type ${want}, with any parameters. */
static bool
media_is(const char *type, const char *want)
{
	size_t n = strlen(want);

	return type != NULL && strncasecmp(type, want, n) == 0 &&
	    (type[n] == '\0' || type[n] == ';' || type[n] == ' ');
}

static int
check_target(const struct exchange_head *head, struct request *rq,
    struct response *rs)
{
	switch (target_parse(&rq->target, head->raw, head->raw_length)) {
	case TARGET_OK:
		return 0;
	case TARGET_TOO_LONG:
		respond_problem(rs, PROBLEM_TOO_LONG, NULL,
		    "the request target is too long");
		return -1;
	case TARGET_TWICE:
		respond_problem(rs, PROBLEM_BAD_PARAMETER,
		    rq->target.offender, "'%.64s' is given twice",
		    rq->target.offender);
		return -1;
	default:
		respond_problem(rs, PROBLEM_BAD_REQUEST, NULL,
		    "the request target has an empty or undecodable part");
		return -1;
	}
}

/* Authenticates the client. This comes first, so that no answer tells a stranger what
 * exists here. */
static int
check_guard(const struct exchange_head *head, bool public,
    struct response *rs)
{
	if (head->repeated) {
		respond_problem(rs, PROBLEM_BAD_REQUEST, NULL,
		    "Host, Origin, Authorization or Content-Length is there "
		    "more than once");
		return -1;
	}
	if (!head->tcp)
		return 0;
	switch (guard_check(&head->guard, head->port,
	    public ? NULL : head->token)) {
	case GUARD_OK:
		return 0;
	case GUARD_NO_HOST:
		respond_problem(rs, PROBLEM_NO_HOST, NULL,
		    "the request has no Host header");
		break;
	case GUARD_HOST:
		respond_problem(rs, PROBLEM_WRONG_HOST, NULL,
		    "this daemon is not '%.64s'", head->guard.host);
		break;
	case GUARD_CROSS_SITE:
		respond_problem(rs, PROBLEM_CROSS_SITE, NULL,
		    "requests from other sites are refused");
		break;
	case GUARD_TOKEN:
		respond_problem(rs, PROBLEM_UNAUTHORIZED, NULL,
		    head->guard.authorization == NULL ?
		    "the request has no token" : "the token is wrong");
		respond_header(rs, "WWW-Authenticate",
		    "Bearer realm=\"cudadvise\"");
		break;
	}
	return -1;
}

static int
find_method(const char *name, enum http_method *method)
{
	size_t i;

	*method = HTTP_GET;
	if (strcmp(name, "HEAD") == 0)
		return 0;
	for (i = 0; i < HTTP_METHODS; i++)
		if (strcmp(http_method_name[i], name) == 0) {
			*method = (enum http_method)i;
			return 0;
		}
	return -1;
}

static int
check_route(const struct exchange_head *head, struct request *rq,
    struct response *rs)
{
	enum route_status status;
	const char *bad;
	bool known = find_method(head->method, &rq->method) == 0;
	char allow[64];

	status = route_find(head->routes, head->route_count,
	    rq->method, &rq->target, rq->param, &rq->route);
	if (check_guard(head, rq->route != NULL &&
	    rq->route->access == ACCESS_PUBLIC, rs) < 0)
		return -1;
	if (status == ROUTE_NO_PATH) {
		respond_problem(rs, PROBLEM_NO_PATH, NULL,
		    "this path does not exist");
		return -1;
	}
	if (status == ROUTE_NO_METHOD || !known) {
		route_allow(head->routes, head->route_count, &rq->target,
		    allow, sizeof(allow));
		respond_problem(rs, PROBLEM_NO_METHOD, NULL,
		    "this path takes %s", allow);
		respond_header(rs, "Allow", "%s", allow);
		return -1;
	}
	if (rq->route->access == ACCESS_LOCAL && head->tcp) {
		respond_problem(rs, PROBLEM_LOCAL_ONLY, NULL,
		    "this is answered on the unix socket only");
		return -1;
	}
	bad = route_bad_query(rq->route, &rq->target);
	if (bad != NULL) {
		respond_problem(rs, PROBLEM_BAD_PARAMETER, bad,
		    "unknown query parameter '%.64s'%s%s", bad,
		    rq->route->query != NULL ? "; known: " : "",
		    rq->route->query != NULL ? rq->route->query : "");
		return -1;
	}
	return 0;
}

/* Checks type and size of the body that the header announces. */
static int
check_body(const struct exchange_head *head, struct request *rq,
    struct response *rs, uint64_t *max_body)
{
	unsigned flags = rq->route->flags;
	uint64_t length = 0;
	bool any = head->chunked;

	*max_body = flags & ROUTE_UPLOAD ? head->max_upload :
	    flags & (ROUTE_BODY | ROUTE_MAY_BODY) ? REQUEST_MAX_BODY : 0;
	if (head->content_length != NULL) {
		if (text_u64(head->content_length, 0, UINT64_MAX, &length) <
		    0) {
			respond_problem(rs, PROBLEM_BAD_REQUEST, NULL,
			    "Content-Length is not a number");
			return -1;
		}
		any = any || length > 0;
	}
	if (length > *max_body || (any && *max_body == 0)) {
		respond_problem(rs, PROBLEM_TOO_LARGE, NULL,
		    "the limit here is %" PRIu64 " bytes", *max_body);
		return -1;
	}
	if (flags & ROUTE_MAY_BODY && !any)
		return 0;
	if (flags & (ROUTE_BODY | ROUTE_MAY_BODY) &&
	    !media_is(head->content_type, "application/json")) {
		respond_problem(rs, PROBLEM_MEDIA_TYPE, NULL,
		    "this path takes application/json");
		return -1;
	}
	if (flags & ROUTE_UPLOAD &&
	    !media_is(head->content_type, "application/octet-stream")) {
		respond_problem(rs, PROBLEM_MEDIA_TYPE, NULL,
		    "this path takes application/octet-stream");
		return -1;
	}
	return 0;
}

int
exchange_begin(const struct exchange_head *head, struct request *rq,
    struct response *rs, uint64_t *max_body)
{
	*max_body = 0;
	rq->tcp = head->tcp;
	if (check_target(head, rq, rs) < 0 || check_route(head, rq, rs) < 0)
		return -1;
	return check_body(head, rq, rs, max_body);
}

int
exchange_body(struct request *rq, struct response *rs, const char *body,
    size_t len)
{
	json_error_t e;

	if (!(rq->route->flags & (ROUTE_BODY | ROUTE_MAY_BODY)))
		return 0;
	if (len == 0 && rq->route->flags & ROUTE_MAY_BODY) {
		rq->body = json_object();
		return rq->body != NULL ? 0 : -1;
	}
	rq->body = json_loadb(body, len, JSON_REJECT_DUPLICATES, &e);
	if (rq->body == NULL) {
		respond_problem(rs, PROBLEM_BAD_BODY, "",
		    "not JSON: line %d, column %d: %s", e.line, e.column,
		    e.text);
		return -1;
	}
	if (json_is_object(rq->body))
		return 0;
	json_decref(rq->body);
	rq->body = NULL;
	respond_problem(rs, PROBLEM_BAD_BODY, "", "not a JSON object");
	return -1;
}

void
exchange_end(struct response *rs)
{
	if (rs->client_has && rs->status == 200)
		rs->status = 304;
}
