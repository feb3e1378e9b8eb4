#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"
#include "base/error.h"
#include "base/log.h"
#include "base/utf8.h"
#include "service/internal.h"
#include "wire/frame.h"
#include "wire/record.h"

#include "fuzz/parts.h"

#define CHUNK_HEADER 4
#define RECORDS_MAX 65536

/* --- inputs ------------------------------------------------------------------ */

uint8_t
input_u8(struct input *in)
{
	if (in->len == 0)
		return 0;
	in->len--;
	return *in->p++;
}

uint16_t
input_u16(struct input *in)
{
	uint16_t low = input_u8(in);

	return (uint16_t)(low | input_u8(in) << 8);
}

uint64_t
input_u64(struct input *in)
{
	uint64_t v = 0;
	int i;

	for (i = 0; i < 8; i++)
		v |= (uint64_t)input_u8(in) << (8 * i);
	return v;
}

struct input
input_bytes(struct input *in, size_t n)
{
	struct input part = { in->p, n < in->len ? n : in->len };

	in->p += part.len;
	in->len -= part.len;
	return part;
}

void
input_text(struct input *in, char *out, size_t cap, size_t n)
{
	struct input part = input_bytes(in, n < cap ? n : cap - 1);
	size_t i;

	for (i = 0; i < part.len; i++)
		out[i] = part.p[i] != 0 ? (char)part.p[i] : 'x';
	out[part.len] = '\0';
}

static uint32_t
count(const uint8_t *p, size_t len)
{
	struct record r;
	uint32_t n = 0;
	size_t pos = 0;

	while (record_next(p, len, &pos, &r) == 1)
		n++;
	return n;
}

size_t
input_frames(struct input *in, uint8_t *out, size_t cap)
{
	uint64_t sequence[256] = { 0 };
	struct frame_header h;
	struct input part;
	size_t at = 0;
	uint8_t stream;

	while (in->len > CHUNK_HEADER) {
		memset(&h, 0, sizeof(h));
		stream = input_u8(in);
		sequence[stream] += input_u8(in) % 4 == 3 ? 5 : 0;
		part = input_bytes(in, input_u16(in));
		if (cap - at < FRAME_HEADER_SIZE + part.len)
			break;
		h.stream = stream + 1u;
		h.sequence = sequence[stream];
		h.stored = h.raw = (uint32_t)part.len;
		h.records = count(part.p, part.len);
		sequence[stream] += h.records;
		memcpy(out + at + FRAME_HEADER_SIZE, part.p, part.len);
		frame_seal(out + at, &h);
		at += FRAME_HEADER_SIZE + part.len;
	}
	return at;
}

/* --- places ------------------------------------------------------------------- */

static char directory[64];

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *f)
{
	(void)st;
	(void)type;
	(void)f;
	remove(path);
	return 0;
}

void
parts_remove(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void
remove_directory(void)
{
	parts_remove(directory);
}

const char *
parts_directory(void)
{
	if (directory[0] != '\0')
		return directory;
	snprintf(directory, sizeof(directory), "%s/cadv-fuzz-XXXXXX",
	    access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	WANT(mkdtemp(directory) != NULL);
	atexit(remove_directory);
	return directory;
}

void
parts_file(const char *path, const void *p, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	WANT(fd >= 0 && write(fd, p, len) == (ssize_t)len);
	close(fd);
}

/* Its first jobs look through the directories of runs, and remove one without a capture:
 * that must not be one which a harness has just made. */
static void
end_first_jobs(struct service *s)
{

	job_post(s, (struct job){ .kind = JOB_STOP });
	pthread_join(s->worker, NULL);
	WANT(pthread_create(&s->worker, NULL, worker_main, s) == 0);
}

struct service *
parts_service(void)
{
	static struct service *service;
	static struct config config;
	struct service_options o = { .listen_fd = -1, .config = &config };
	struct error e = ERROR_INIT;

	if (service != NULL)
		return service;
	/* The harnesses must not run other programs, or print. */
	setenv("CUDADVISE_NVDISASM", "/nonexistent", 1);
	log_setup(LOG_LEVEL_ERROR, false);
	config_init(&config);
	o.state = parts_directory();
	service = service_start(&o, &e);
	WANT(service != NULL);
	end_first_jobs(service);
	return service;
}

struct service *
parts_service_alone(void)
{
	struct service *s = parts_service();
	uint64_t one = 1;

	if (!s->listener_runs)
		return s;
	atomic_store(&s->stopping, 1);
	WANT(write(s->wake, &one, sizeof(one)) == sizeof(one));
	pthread_join(s->listener, NULL);
	s->listener_runs = false;
	atomic_store(&s->stopping, 0);
	return s;
}

void
parts_check_page(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		WANT(text[i] == '\n' || ((unsigned char)text[i] >= 0x20 &&
		    text[i] != 0x7f));
	WANT(len == 0 || utf8_valid(text, len));
}
