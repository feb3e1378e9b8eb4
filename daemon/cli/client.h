/*
 * cli/client.h: the daemon's API over its unix socket. Errors contain the text
 * of the daemon's problem document. One thread.
 */
#ifndef CADV_CLI_CLIENT_H
#define CADV_CLI_CLIENT_H

#include <jansson.h>
#include <stdio.h>

struct client;
struct error;

#define CAPTURE_TYPE "application/octet-stream"

/* client_new(socket, e): a client; nothing is sent yet. NULL with ${e} set.
 * Release with client_free. */
struct client *client_new(const char *socket, struct error *e);
void client_free(struct client *c);

/*
 * All take a path below /api/v1 ("/runs/41"), with its query; parts that come from
 * outside must have gone through client_quote. They return the HTTP status if it is
 * 2xx, else -1 with ${e} set; client_status then has the status (0: no answer came).
 * *${out} (may be NULL): the answer's JSON, {} if it is empty; a new reference.
 */
int client_get(struct client *c, const char *path, json_t **out,
    struct error *e);
/* ${body} (borrowed) may be NULL. */
int client_send(struct client *c, const char *method, const char *path,
    const json_t *body, json_t **out, struct error *e);
/* client_upload: POST ${file} as a capture; client_download: write the answer to
 * ${file}. */
int client_upload(struct client *c, const char *path, FILE *file,
    json_t **out, struct error *e);
int client_download(struct client *c, const char *path, FILE *file,
    struct error *e);
long client_status(const struct client *c);

/* client_quote(s): percent-encoded, malloced; NULL without memory. */
char *client_quote(const char *s);

/* client_items(c, path, limit, e): all pages of a list (${path} without a
 * query), at most ${limit} items (0: no limit), as one array; a new reference,
 * NULL with ${e} set. */
json_t *client_items(struct client *c, const char *path, size_t limit,
    struct error *e);

#endif
