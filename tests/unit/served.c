#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>

#include "base/log.h"
#include "unit/served.h"
#include "unit/test.h"

char *top;
char socket_path[100];
struct config config;
struct service *service;

void
serve(unsigned live_ms, unsigned grace_ms)
{
	log_setup(LOG_LEVEL_ERROR, false);
	top = fixture_mkdir();
	snprintf(socket_path, sizeof(socket_path), "%s/ingest.sock", top);
	config_init(&config);
	config.live_interval_ms = live_ms;
	config.spool_grace_ms = grace_ms;
	serve_again();
}

void
serve_again(void)
{
	struct service_options o = { .socket = socket_path, .listen_fd = -1,
	    .state = top, .config = &config };
	struct error e = ERROR_INIT;

	if ((service = service_start(&o, &e)) == NULL)
		fail_msg("%s", e.text);
}

int
serve_end(void **state)
{
	(void)state;
	service_stop(service);
	service = NULL;
	fixture_rmdir(top);
	return 0;
}

void
pause_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

void
dial_with(int fd)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct timeval patience = { 60, 0 };

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", socket_path);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
}

int
dial(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	dial_with(fd);
	return fd;
}

void
transmit(int fd, const void *p, size_t len)
{
	assert_int_equal(send(fd, p, len, MSG_NOSIGNAL), len);
}

int
import_fixture(const struct fixture *f, size_t len, int64_t *number,
    struct error *e)
{
	FILE *file = tmpfile();
	int rc;

	*e = (struct error)ERROR_INIT;
	assert_non_null(file);
	assert_int_equal(fwrite(f->file, 1, len, file), len);
	fflush(file);
	rc = service_import(service, fileno(file), e, number, NULL);
	fclose(file);
	return rc;
}

void
wait_state(const char *uuid, const char *wanted, struct store_run *r)
{
	struct error e = ERROR_INIT;
	enum store_status st;
	int i;

	for (i = 0; i < 6000; i++) {
		st = store_run_find(service_store(service), uuid, r, &e);
		if (st == STORE_OK && r->json != NULL &&
		    (wanted == NULL ? strcmp(r->state, "live") != 0 :
		    strcmp(r->state, wanted) == 0))
			return;
		if (st == STORE_OK)
			store_run_clear(r);
		pause_ms(5);
	}
	fail_msg("run %s never was '%s'", uuid,
	    wanted != NULL ? wanted : "over");
}

void
spool_path(char *name, size_t size, const char *uuid, uint64_t stream)
{
	snprintf(name, size, "%s/spool/%s.%016llx.spool", top, uuid,
	    (unsigned long long)stream);
}

long
run_field(const struct store_run *r, const char *name)
{
	json_t *j = service_run_json(r);
	long v = (long)json_integer_value(json_object_get(j, name));

	json_decref(j);
	return v;
}
