#include <stdint.h>
#include <string.h>

#include "http/exchange.h"
#include "http/problem.h"
#include "http/server_internal.h"

static const struct {
	const char *name, *value;
} fixed_headers[] = {
	{ "Content-Security-Policy", "default-src 'none'; script-src 'self'; "
	    "style-src 'self'; connect-src 'self'; img-src 'self'; "
	    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
	    "require-trusted-types-for 'script'" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ "Cross-Origin-Opener-Policy", "same-origin" },
	{ "Referrer-Policy", "no-referrer" },
};

static struct MHD_Response *
make_response(struct call *c)
{
	struct response *rs = &c->rs;
	struct MHD_Response *r;

	if (rs->stream != NULL) {
		r = server_stream_response(c);
		if (r != NULL)
			return r;
		respond_problem(rs, PROBLEM_BUSY, NULL,
		    "at most %d event streams are served", STREAMS_MAX);
	}
	if (rs->fd > 0) {
		r = MHD_create_response_from_fd64(rs->length, rs->fd);
		if (r != NULL)
			rs->fd = 0;
		return r;
	}
	if (rs->fixed != NULL)
		return MHD_create_response_from_buffer(rs->length,
		    (void *)(uintptr_t)rs->fixed, MHD_RESPMEM_PERSISTENT);
	if (rs->body == NULL)
		return MHD_create_response_from_buffer(0, (void *)"",
		    MHD_RESPMEM_PERSISTENT);
	r = MHD_create_response_from_buffer(rs->length, rs->body,
	    MHD_RESPMEM_MUST_FREE);
	if (r != NULL)
		rs->body = NULL;
	return r;
}

enum MHD_Result
server_send(struct call *c)
{
	struct MHD_Response *r;
	enum MHD_Result result;
	unsigned status;
	size_t i;

	if (c->rs.status == 0)
		respond_problem(&c->rs, PROBLEM_INTERNAL, NULL,
		    "the request had no answer");
	exchange_end(&c->rs);
	r = make_response(c);
	if (r == NULL)
		return MHD_NO;
	status = (unsigned)c->rs.status;
	for (i = 0; i < sizeof(fixed_headers) / sizeof(fixed_headers[0]); i++)
		MHD_add_response_header(r, fixed_headers[i].name,
		    fixed_headers[i].value);
	MHD_add_response_header(r, "Cache-Control", c->rs.live ? "no-store" :
	    "private, no-cache");
	if (c->rs.type != NULL && status != 304 && status != 204)
		MHD_add_response_header(r, "Content-Type", c->rs.type);
	for (i = 0; i < c->rs.headers; i++)
		MHD_add_response_header(r, c->rs.header[i].name,
		    c->rs.header[i].value);
	result = MHD_queue_response(c->connection, status, r);
	MHD_destroy_response(r);
	atomic_fetch_add(&c->http->requests, 1);
	if (status >= 500)
		atomic_fetch_add(&c->http->errors, 1);
	if (status == 401 || status == 403)
		atomic_fetch_add(&c->http->refused, 1);
	return result;
}
