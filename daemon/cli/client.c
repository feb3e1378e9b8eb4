#include <curl/curl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

#include "cli/client.h"

#define ANSWER_MAX (512u << 20)		/* bytes of JSON that we accept */
#define CONNECT_MS 2000L
#define STALLED_S 120L			/* give up after that without progress */
#define PAGE 1000

struct client {
	CURL *curl;
	char *socket;
	long status;
	char message[CURL_ERROR_SIZE];
	/* of the current transfer: */
	char *body;
	size_t length, size;
	FILE *file;		/* the body goes here if the status is 2xx */
	bool too_large, write_failed;
};

static size_t
on_body(char *p, size_t one, size_t n, void *arg)
{
	struct client *c = arg;
	size_t size;
	char *grown;
	long status = 0;

	(void)one;
	if (c->file != NULL &&
	    curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &status) ==
	    CURLE_OK && status >= 200 && status < 300) {
		if (fwrite(p, 1, n, c->file) != n) {
			c->write_failed = true;
			return 0;
		}
		return n;
	}
	if (n > ANSWER_MAX - c->length) {
		c->too_large = true;
		return 0;
	}
	if (c->length + n + 1 > c->size) {
		size = 2 * (c->length + n + 1);
		if ((grown = realloc(c->body, size)) == NULL)
			return 0;
		c->body = grown;
		c->size = size;
	}
	memcpy(c->body + c->length, p, n);
	c->length += n;
	c->body[c->length] = '\0';
	return n;
}

struct client *
client_new(const char *socket, struct error *e)
{
	struct client *c;

	if ((c = calloc(1, sizeof(*c))) == NULL)
		goto memory;
	if ((c->socket = strdup(socket)) == NULL ||
	    (c->curl = curl_easy_init()) == NULL)
		goto memory;
	return c;

memory:
	client_free(c);
	error_memory(e);
	return NULL;
}

void
client_free(struct client *c)
{

	if (c == NULL)
		return;
	if (c->curl != NULL)
		curl_easy_cleanup(c->curl);
	free(c->socket);
	free(c->body);
	free(c);
}

long
client_status(const struct client *c)
{

	return c->status;
}

static void
prepare(struct client *c, const char *url)
{

	curl_easy_reset(c->curl);
	curl_easy_setopt(c->curl, CURLOPT_URL, url);
	curl_easy_setopt(c->curl, CURLOPT_UNIX_SOCKET_PATH, c->socket);
	curl_easy_setopt(c->curl, CURLOPT_PROXY, "");
	curl_easy_setopt(c->curl, CURLOPT_PROTOCOLS_STR, "http");
	curl_easy_setopt(c->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c->curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	curl_easy_setopt(c->curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(c->curl, CURLOPT_LOW_SPEED_TIME, STALLED_S);
	curl_easy_setopt(c->curl, CURLOPT_ERRORBUFFER, c->message);
	curl_easy_setopt(c->curl, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(c->curl, CURLOPT_WRITEDATA, c);
	curl_easy_setopt(c->curl, CURLOPT_USERAGENT,
	    "cudadvise/" CUDADVISE_VERSION);
	c->message[0] = '\0';
	c->length = 0;
	c->status = 0;
	c->too_large = c->write_failed = false;
}

/* Sets what the command's user can do. Most of the daemon's advice is for users
 * of the HTTP API. */
static void
set_remedy(const char *type, const char *help, struct error *e)
{
	static const char *const silent[] = { "conflict", "too-large",
		"no-such-kernel", "no-such-source-file", "no-such-finding",
		"no-such-rule" };
	const char *slug = type != NULL ? strrchr(type, '/') : NULL;
	size_t i;

	slug = slug != NULL ? slug + 1 : "";
	for (i = 0; i < sizeof(silent) / sizeof(silent[0]); i++)
		if (strcmp(slug, silent[i]) == 0)
			return;
	if (strcmp(slug, "no-such-run") == 0)
		error_remedy(e, "cudadvise list shows the runs");
	else if (help != NULL)
		error_remedy(e, "%s", help);
}

/* The daemon's problem document as an error. */
static int
set_problem(struct client *c, struct error *e)
{
	const char *title, *detail, *help;	/* the detail is complete without it */
	json_t *problem = NULL;

	if (c->length > 0)
		problem = json_loadb(c->body, c->length, 0, NULL);
	title = json_string_value(json_object_get(problem, "title"));
	detail = json_string_value(json_object_get(problem, "detail"));
	help = json_string_value(json_object_get(problem, "help"));
	if (detail != NULL)
		error_set(e, "%s", detail);
	else
		error_set(e, "the daemon answered with status %ld%s%s",
		    c->status, title != NULL ? ": " : "",
		    title != NULL ? title : "");
	set_remedy(json_string_value(json_object_get(problem, "type")), help,
	    e);
	json_decref(problem);
	return -1;
}

static int
set_no_answer(struct client *c, CURLcode code, struct error *e)
{

	if (c->too_large)
		return error_set(e, "the daemon's answer is over %u MiB",
		    ANSWER_MAX >> 20);
	if (c->write_failed) {
		error_set(e, "cannot write the answer:");
		/* Reported once: who closes the file need not. */
		clearerr(c->file);
		return -1;
	}
	error_set(e, "the daemon did not answer: %s", c->message[0] != '\0' ?
	    c->message : curl_easy_strerror(code));
	return error_remedy(e, "cudadvise daemon status; its log is "
	    "cudadvised.log in the state directory");
}

static int
perform(struct client *c, json_t **out, struct error *e)
{
	json_error_t je;
	CURLcode code = curl_easy_perform(c->curl);

	if (code != CURLE_OK)
		return set_no_answer(c, code, e);
	curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &c->status);
	if (c->status < 200 || c->status > 299)
		return set_problem(c, e);
	if (out == NULL)
		return (int)c->status;
	*out = c->length > 0 ? json_loadb(c->body, c->length,
	    JSON_REJECT_DUPLICATES, &je) : json_object();
	if (*out == NULL)
		return error_set(e, "the daemon's answer is no JSON: %s",
		    je.text);
	return (int)c->status;
}

static char *
make_url(const char *path, struct error *e)
{
	char *url;

	if (asprintf(&url, "http://localhost/api/v1%s", path) < 0) {
		error_memory(e);
		return NULL;
	}
	return url;
}

int
client_get(struct client *c, const char *path, json_t **out, struct error *e)
{
	char *url = make_url(path, e);
	int rc;

	if (url == NULL)
		return -1;
	prepare(c, url);
	rc = perform(c, out, e);
	free(url);
	return rc;
}

int
client_send(struct client *c, const char *method, const char *path,
    const json_t *body, json_t **out, struct error *e)
{
	struct curl_slist *headers = NULL;
	char *url = make_url(path, e), *text = NULL;
	int rc = -1;

	if (url == NULL)
		return -1;
	prepare(c, url);
	if (body != NULL && (text = json_dumps(body, JSON_COMPACT)) == NULL) {
		error_memory(e);
		goto out;
	}
	if (text != NULL)
		headers = curl_slist_append(NULL,
		    "Content-Type: application/json");
	curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, headers);
	if (text != NULL || strcmp(method, "POST") == 0)
		curl_easy_setopt(c->curl, CURLOPT_POSTFIELDS,
		    text != NULL ? text : "");
	curl_easy_setopt(c->curl, CURLOPT_CUSTOMREQUEST, method);
	rc = perform(c, out, e);
out:
	curl_slist_free_all(headers);
	free(text);
	free(url);
	return rc;
}

int
client_upload(struct client *c, const char *path, FILE *file, json_t **out,
    struct error *e)
{
	struct curl_slist *headers;
	char *url = make_url(path, e);
	struct stat st;
	int rc;

	if (url == NULL)
		return -1;
	prepare(c, url);
	headers = curl_slist_append(NULL, "Content-Type: " CAPTURE_TYPE);
	headers = curl_slist_append(headers, "Expect:");
	curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(c->curl, CURLOPT_POST, 1L);
	curl_easy_setopt(c->curl, CURLOPT_READDATA, file);
	if (fstat(fileno(file), &st) == 0)
		curl_easy_setopt(c->curl, CURLOPT_POSTFIELDSIZE_LARGE,
		    (curl_off_t)st.st_size);
	rc = perform(c, out, e);
	curl_slist_free_all(headers);
	free(url);
	return rc;
}

int
client_download(struct client *c, const char *path, FILE *file,
    struct error *e)
{
	char *url = make_url(path, e);
	int rc;

	if (url == NULL)
		return -1;
	prepare(c, url);
	c->file = file;
	rc = perform(c, NULL, e);
	c->file = NULL;
	free(url);
	return rc;
}

char *
client_quote(const char *s)
{
	static const char hex[] = "0123456789ABCDEF";
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~";
	char *quoted = malloc(3 * strlen(s) + 1), *p = quoted;

	if (quoted == NULL)
		return NULL;
	for (; *s != '\0'; s++) {
		if (strchr(plain, *s) != NULL) {
			*p++ = *s;
			continue;
		}
		*p++ = '%';
		*p++ = hex[(unsigned char)*s >> 4];
		*p++ = hex[*s & 15];
	}
	*p = '\0';
	return quoted;
}

/* Gets one page after ${cursor}; leaves the next cursor in *${cursor}
 * (malloced, NULL at the end). */
static int
get_page(struct client *c, const char *path, size_t n, char **cursor,
    json_t *items, struct error *e)
{
	char *full = NULL, *quoted = NULL;
	const char *next;
	json_t *page = NULL;
	int rc = -1;

	if (*cursor != NULL && (quoted = client_quote(*cursor)) == NULL)
		goto out;
	if (asprintf(&full, "%s?limit=%zu%s%s", path, n,
	    quoted != NULL ? "&cursor=" : "",
	    quoted != NULL ? quoted : "") < 0) {
		full = NULL;
		goto out;
	}
	if (client_get(c, full, &page, e) < 0)
		goto out;
	json_array_extend(items, json_object_get(page, "items"));
	next = json_string_value(json_object_get(page, "next_cursor"));
	free(*cursor);
	*cursor = next != NULL && *next != '\0' ? strdup(next) : NULL;
	rc = 0;
out:
	if (rc != 0)
		error_memory(e);
	json_decref(page);
	free(quoted);
	free(full);
	return rc;
}

json_t *
client_items(struct client *c, const char *path, size_t limit,
    struct error *e)
{
	json_t *items = json_array();
	char *cursor = NULL;
	size_t have, n;

	do {
		have = json_array_size(items);
		n = limit != 0 && limit - have < PAGE ? limit - have : PAGE;
		if (get_page(c, path, n, &cursor, items, e) != 0) {
			json_decref(items);
			items = NULL;
			break;
		}
		/* An empty page would repeat for ever. */
		if (json_array_size(items) == have)
			break;
	} while (cursor != NULL &&
	    (limit == 0 || json_array_size(items) < limit));
	free(cursor);
	return items;
}
