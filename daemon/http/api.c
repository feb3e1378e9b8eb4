#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "service/service.h"

#include "http/api.h"
#include "http/route.h"

#define NEXT_MAX 700	/* most bytes of parameters in the link to the next page */

void
api_store_failed(struct response *rs, enum store_status status,
    const struct error *e, enum problem none)
{
	const char *text = e->set ? e->text : "the store failed";

	switch (status) {
	case STORE_NONE:
		respond_problem(rs, none, NULL, "%s", e->set ? e->text :
		    "it does not exist");
		break;
	case STORE_AMBIGUOUS:
		respond_problem(rs, PROBLEM_NO_RUN, NULL,
		    "several run ids begin with these digits");
		break;
	case STORE_FULL:
		respond_problem(rs, PROBLEM_NO_SPACE, NULL, "%s", text);
		break;
	default:
		respond_problem(rs, PROBLEM_INTERNAL, NULL, "%s", text);
		break;
	}
}

int
api_run_called(struct request *rq, struct response *rs, const char *id,
    struct store_run *run)
{
	struct error e = ERROR_INIT;
	enum store_status status;

	memset(run, 0, sizeof(*run));
	status = store_run_find(service_store(rq->service), id, run, &e);
	if (status == STORE_OK)
		return 0;
	if (status == STORE_NONE)
		respond_problem(rs, PROBLEM_NO_RUN, NULL, "there is no run "
		    "'%.64s'", id);
	else
		api_store_failed(rs, status, &e, PROBLEM_NO_RUN);
	return -1;
}

int
api_run(struct request *rq, struct response *rs, struct store_run *run)
{
	return api_run_called(rq, rs, rq->param[0], run);
}

/* Whether the list of entity tags ${header} contains ${tag} (with its quotes). */
static bool
etag_listed(const char *header, const char *tag)
{
	size_t n = strlen(tag);
	const char *p = header;

	if (strcmp(header, "*") == 0)
		return true;
	while ((p = strstr(p, tag)) != NULL) {
		if (p[n] == '\0' || p[n] == ',' || p[n] == ' ')
			return true;
		p += n;
	}
	return false;
}

void
api_tag(struct request *rq, struct response *rs, const struct store_run *run)
{
	char tag[80];

	if (strcmp(run->state, "live") == 0) {
		rs->live = true;
		return;
	}
	snprintf(tag, sizeof(tag), "\"%s-%" PRId64 "\"", run->uuid,
	    run->revision);
	respond_header(rs, "ETag", "%s", tag);
	rs->client_has = rq->if_none_match != NULL &&
	    etag_listed(rq->if_none_match, tag);
}

int
api_number(struct request *rq, struct response *rs, const char *name,
    uint64_t fallback, uint64_t low, uint64_t high, uint64_t *out)
{
	const char *text = query_get(rq, name);

	*out = fallback;
	if (text == NULL || text_u64(text, low, high, out) == 0)
		return 0;
	respond_problem(rs, PROBLEM_BAD_PARAMETER, name, "%s must be a whole "
	    "number from %" PRIu64 " to %" PRIu64, name, low, high);
	return -1;
}

/* Percent-encodes ${text}; cut if it does not fit ${size} bytes. */
static void
encode(const char *text, char *out, size_t size)
{
	size_t n = 0;

	for (out[0] = '\0'; *text != '\0' && n + 4 <= size; text++)
		n += (size_t)snprintf(out + n, size - n,
		    isalnum((unsigned char)*text) ? "%c" : "%%%02X",
		    (unsigned char)*text);
}

/* Appends "&name=value" to ${out}. */
static void
next_add(const char *name, const char *value, char *out, size_t size)
{
	size_t n = strlen(out);
	char text[3 * QUERY_MATCH_MAX + 1];

	encode(value, text, sizeof(text));
	snprintf(out + n, size - n, "&%s=%s", name, text);
}

void
api_next(struct request *rq, struct response *rs, const char *cursor)
{
	char path[256], id[3 * 64 + 1] = "";
	char more[NEXT_MAX] = "";
	const char *pattern = rq->route->path, *open = strchr(pattern, '{');
	const char *p;
	size_t i;

	if (open == NULL) {
		snprintf(path, sizeof(path), "%s", pattern);
	} else {
		/* {id} as the client wrote it, encoded again. */
		encode(rq->param[0], id, sizeof(id));
		p = strchr(open, '}') + 1;
		snprintf(path, sizeof(path), "%.*s%s%.*s%s%s",
		    (int)(open - pattern), pattern, id,
		    (int)strcspn(p, "{"), p,
		    strchr(p, '{') != NULL ? rq->param[1] : "",
		    strchr(p, '{') != NULL ? strchr(p, '}') + 1 : "");
	}
	for (i = 0; i < rq->target.queries; i++)
		if (strcmp(rq->target.query[i].name, "cursor") != 0)
			next_add(rq->target.query[i].name,
			    rq->target.query[i].value, more, sizeof(more));
	respond_header(rs, "Link", "<%s?cursor=%s%s>; rel=\"next\"", path,
	    cursor, more);
}

int
api_body_known(struct request *rq, struct response *rs, const char *names)
{
	const char *key;
	json_t *value;

	json_object_foreach(rq->body, key, value) {
		const char *p = strstr(names, key);
		size_t n = strlen(key);

		if (n > 0 && strchr(key, ' ') == NULL && p != NULL &&
		    (p == names || p[-1] == ' ') &&
		    (p[n] == ' ' || p[n] == '\0'))
			continue;
		char pointer[128];

		snprintf(pointer, sizeof(pointer), "/%.100s", key);
		respond_problem(rs, PROBLEM_BAD_BODY, pointer,
		    "unknown member '%.100s'%s%s", key,
		    names[0] != '\0' ? "; known: " : "", names);
		return -1;
	}
	return 0;
}
