/* cudadvised: options, one instance, background, signals. The work is in
 * service/service.c, the HTTP server in http/server.c. */
#include <getopt.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"
#include "base/error.h"
#include "base/log.h"
#include "base/paths.h"
#include "base/stop.h"
#include "base/text.h"
#include "http/route.h"
#include "http/server.h"
#include "service/service.h"
#include "instance.h"

#define EXIT_USAGE 2
#define STOP_GRACE_S 2	/* for work in progress to end by itself, */
#define STOP_S 2	/* then to stop when asked to; then exit at once */

struct daemon_options {
	bool foreground, no_tcp;
	int port;		/* -1: as the configuration says */
	const char *config;	/* NULL: the usual place */
};

static const char usage[] =
    "usage: cudadvised [--foreground] [--config FILE] [--port N | --no-tcp]\n"
    "       cudadvised --version | --help\n"
    "\n"
    "Receives, keeps and analyses the runs of cudadvise, one daemon per user.\n"
    "\n"
    "  -f, --foreground   stay in the foreground, log to standard error\n"
    "  -c, --config FILE  read this configuration, not the one in\n"
    "                     ~/.config/cudadvise/cudadvised.conf\n"
    "  -p, --port N       open the HTTP API on loopback port N, too\n"
    "      --no-tcp       not even if the configuration says so\n"
    "  -V, --version      print the version\n"
    "  -h, --help         print this\n";

/* Returns 0 to go on, else 1 + the exit code. */
static int
parse_options(int argc, char **argv, struct daemon_options *o)
{
	static const struct option table[] = {
		{ "foreground", no_argument, NULL, 'f' },
		{ "config", required_argument, NULL, 'c' },
		{ "port", required_argument, NULL, 'p' },
		{ "no-tcp", no_argument, NULL, 'n' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	uint64_t port;
	int c;

	*o = (struct daemon_options){ .port = -1 };
	while ((c = getopt_long(argc, argv, "fc:p:Vh", table, NULL)) != -1)
		switch (c) {
		case 'f':
			o->foreground = true;
			break;
		case 'c':
			o->config = optarg;
			break;
		case 'p':
			if (text_u64(optarg, 1, 65535, &port) != 0) {
				fprintf(stderr, "cudadvised: --port takes a "
				    "number from 1 to 65535, not '%s'\n",
				    optarg);
				return EXIT_USAGE + 1;
			}
			o->port = (int)port;
			break;
		case 'n':
			o->no_tcp = true;
			break;
		case 'V':
			printf("cudadvised %s\n", CUDADVISE_VERSION);
			return EXIT_SUCCESS + 1;
		case 'h':
			fputs(usage, stdout);
			return EXIT_SUCCESS + 1;
		default:
			fputs(usage, stderr);
			return EXIT_USAGE + 1;
		}
	if (optind < argc || (o->no_tcp && o->port >= 0)) {
		if (optind < argc)
			fprintf(stderr, "cudadvised: '%s' is not an option\n",
			    argv[optind]);
		fputs(usage, stderr);
		return EXIT_USAGE + 1;
	}
	return 0;
}

struct daemon {
	struct daemon_options options;
	struct config config;
	struct instance instance;
	struct service *service;
	struct http *http;
};

/* Called in any thread; wait_for_signal receives the signal. */
static void
ask_to_stop(void *arg)
{

	(void)arg;
	kill(getpid(), SIGTERM);
}

static int
start_http(struct daemon *d, int api_fd, struct error *e)
{
	char socket[PATH_MAX] = "";
	struct http_options o = {
		.routes = api_routes, .route_count = api_route_count,
		.unix_path = socket, .listen_fd = api_fd,
		.tcp_port = d->config.tcp_port,
		.dashboard_port = d->config.dashboard_port,
		.max_upload_bytes = d->config.max_upload_bytes,
		.shutdown = ask_to_stop,
	};

	if (d->options.port >= 0)
		o.tcp_port = d->options.port;
	if (d->options.no_tcp)
		o.tcp_port = 0;
	if (api_fd < 0 && paths_api_socket(socket, e) != 0)
		return -1;
	d->http = http_start(&o, d->service, e);
	return d->http != NULL ? 0 : -1;
}

static int
start(struct daemon *d, struct error *e)
{
	char runtime[PATH_MAX], state[PATH_MAX], socket[PATH_MAX] = "";
	struct service_options o = { .socket = socket, .state = state,
	    .config = &d->config };
	int api_fd;

	if (paths_runtime(runtime, e) != 0 || paths_state(state, e) != 0 ||
	    instance_lock(&d->instance, runtime, state, e) != 0)
		return -1;
	instance_sockets(&o.listen_fd, &api_fd);
	if (o.listen_fd < 0 && paths_ingest_socket(socket, e) != 0)
		return -1;
	if ((d->service = service_start(&o, e)) == NULL)
		return -1;
	return start_http(d, api_fd, e);
}

static void
stop(struct daemon *d)
{

	http_stop(d->http);
	service_stop(d->service);
	instance_unlock(&d->instance);
	config_clear(&d->config);
}

/* Wait for SIGTERM or SIGINT. */
static void
wait_for_signal(const sigset_t *set)
{
	int sig = 0;

	while (sigwait(set, &sig) != 0 || sig == SIGHUP)
		continue;
	log_info("ends on signal %d", sig);
}

/*
 * SIGALRM while the daemon stops. The first time, work in progress is asked to stop. The
 * second time the process exits: only clients waiting for that work lose it. Files and
 * rows of the database are consistent at every instant, and the next daemon continues.
 */
static void
out_of_time(int sig)
{
	static const char text[] = "cudadvised: ends with work under way, "
	    "which the next one takes up\n";

	(void)sig;
	if (!stop_asked()) {
		stop_ask(true);
		alarm(STOP_S);
		return;
	}
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(EXIT_FAILURE);
	_exit(EXIT_SUCCESS);
}

static int
serve(struct daemon *d, struct background *b)
{
	struct error e = ERROR_INIT;
	sigset_t set;

	/* Every thread inherits the mask: only sigwait receives these. */
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);	/* a write fails instead: reported */
	if (start(d, &e) != 0) {
		background_failed(b, &e);
		stop(d);
		return EXIT_FAILURE;
	}
	background_ready(b);
	log_info("cudadvised %s is ready", CUDADVISE_VERSION);
	instance_notify("READY=1");
	wait_for_signal(&set);
	signal(SIGALRM, out_of_time);
	alarm(STOP_GRACE_S);
	instance_notify("STOPPING=1");
	stop(d);
	return EXIT_SUCCESS;
}

static int
load_config(struct daemon *d, struct error *e)
{
	char path[PATH_MAX];

	if (d->options.config != NULL)
		return config_load(&d->config, d->options.config, true, e);
	if (paths_config(path, e) != 0)
		return -1;
	return config_load(&d->config, path, getenv("CUDADVISE_CONFIG") !=
	    NULL, e);
}

int
main(int argc, char **argv)
{
	struct background b = BACKGROUND_NONE;
	struct daemon d = { .http = NULL };
	struct error e = ERROR_INIT;
	char state[PATH_MAX], log[PATH_MAX];
	int rc = parse_options(argc, argv, &d.options);

	if (rc != 0)
		return rc - 1;
	if (load_config(&d, &e) != 0) {
		background_failed(&b, &e);
		return EXIT_FAILURE;
	}
	log_setup((enum log_level)d.config.log_level,
	    getenv("JOURNAL_STREAM") != NULL && d.options.foreground);
	if (!d.options.foreground) {
		if (paths_state(state, &e) != 0 ||
		    paths_join(log, state, "cudadvised.log", &e) != 0 ||
		    (rc = background_enter(&b, log, &e)) < 0) {
			background_failed(&b, &e);
			config_clear(&d.config);
			return EXIT_FAILURE;
		}
		if (rc > 0) {		/* the one that was called */
			config_clear(&d.config);
			return background_wait(&b);
		}
	}
	return serve(&d, &b);
}
