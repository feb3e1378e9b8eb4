#include <stddef.h>

#include "base/error.h"

#include "http/server.h"

struct http *
http_start(const struct http_options *o, struct service *service,
    struct error *e)
{
	(void)o;
	(void)service;
	error_set(e, "the HTTP server is not built in");
	return NULL;
}

void
http_stop(struct http *h)
{
	(void)h;
}

int
http_port(struct http *h)
{
	(void)h;
	return 0;
}

int
http_url(struct http *h, char *out, unsigned long size)
{
	(void)h;
	(void)out;
	(void)size;
	return -1;
}

int
http_open_tcp(struct http *h, int port, struct error *e)
{
	(void)h;
	(void)port;
	return error_set(e, "the HTTP server is not built in");
}
