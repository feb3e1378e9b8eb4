/*
 * http/server.h: the daemon's HTTP server, on the unix socket and, if asked for, on
 * loopback TCP. Only server*.c use libmicrohttpd. Handlers use struct request and
 * struct response (http/message.h); routes are rows in http/routes.c.
 */
#ifndef CADV_HTTP_SERVER_H
#define CADV_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct http;
struct route;
struct service;

struct http_options {
	const char *unix_path;	/* <runtime>/api.sock; borrowed until start
				 * returns */
	const struct route *routes;	/* the routes it serves (http/route.h) */
	size_t route_count;
	int listen_fd;		/* a listening unix socket (socket activation),
				 * instead of binding unix_path; -1: none */
	int tcp_port;		/* > 0: listen on this port of 127.0.0.1 and ::1 from
				 * the start; 0: only when a dashboard is requested */
	int dashboard_port;	/* port for a requested dashboard; 0: any free one */
	uint64_t max_upload_bytes;	/* largest imported capture; 0: 4 GiB */
	void (*shutdown)(void *arg);	/* called for POST /shutdown, in any thread;
					 * NULL: raise SIGTERM */
	void *shutdown_arg;
};

/*
 * http_start(o, service, e): listen and serve ${service}, which must outlive the
 * server, in threads of its own. NULL with ${e} set if a socket cannot be opened.
 */
struct http *http_start(const struct http_options *o, struct service *service,
    struct error *e);

/*
 * http_stop(h): end all event streams, finish pending requests, close and free. NULL is
 * allowed.
 */
void http_stop(struct http *h);

/*
 * http_port(h): the TCP port it listens on; 0: none. http_url(h, out, size): the
 * dashboard's address with its token; -1 if there is no port or it does not fit.
 * http_open_url(h, out, size, e): an address that works once, to start a browser with;
 * -1 likewise. http_open_tcp(h, port, e): listen on TCP ${port} (0: any free one;
 * negative: dashboard_port) if that is not done yet; 0, or -1 with ${e} set.
 */
int http_port(struct http *h);
int http_url(struct http *h, char *out, unsigned long size);
int http_open_url(struct http *h, char *out, unsigned long size,
    struct error *e);
int http_open_tcp(struct http *h, int port, struct error *e);

/*
 * http_exchange(h, tcp, fd, code, out): exchange a code for the token (TOKEN_TEXT + 1
 * bytes at ${out}). Over ${tcp} the other end of ${fd} has to belong to this user or
 * root, because others can read the code while the browser starts. A client that is
 * refused does not use up the code. False if there is no token.
 */
bool http_exchange(struct http *h, bool tcp, int fd, const char *code,
    char *out);

#endif
