/* Spool files that processes wrote into <state>/spool while no daemon took their
 * records. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/paths.h"
#include "base/stop.h"
#include "base/text.h"
#include "service/internal.h"
#include "capture/frame_file.h"

#define FOREIGN_S 60		/* seconds without a write after which a writer in
				 * another pid namespace is taken for ended */
#define NAME_LENGTH (32 + 1 + 16 + 6)

/* "<32 hex>.<16 hex>.spool" */
static bool
spool_name(const char *name, char *uuid, uint64_t *stream)
{
	char part[33];

	if (strlen(name) != NAME_LENGTH || name[32] != '.' ||
	    strcmp(name + 49, ".spool") != 0)
		return false;
	memcpy(part, name, 32);
	part[32] = '\0';
	memcpy(uuid, part, sizeof(part));
	if (!text_is_hex(part, 32))
		return false;
	memcpy(part, name + 33, 16);
	part[16] = '\0';
	if (stream != NULL)
		*stream = strtoull(part, NULL, 16);
	return text_is_hex(part, 16);
}

uint64_t
spool_pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

/* Whether the session has received the end of the stream, or its process has ended. */
static bool
stream_over(const struct session *se, uint64_t id)
{
	struct live_stream *st;

	if (se == NULL)
		return false;
	HASH_FIND(hh, se->streams, &id, sizeof(id), st);
	return st != NULL && (st->bye || proc_alive(&st->proc) == 0);
}

/* Whether the process that wrote ${path} has ended, or sent its last record. */
static bool
settled(const char *path)
{
	struct capture_origin o;
	struct error e = ERROR_INIT;
	struct proc p;
	struct stat st;
	time_t age;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	age = time(NULL) - st.st_mtime;
	if (capture_peek(path, &o, &e) != 0)
		return age >= FOREIGN_S;
	if (o.ended)
		return true;
	if (o.pid != 0 && o.pidns == spool_pid_namespace()) {
		p = proc_born((pid_t)o.pid, &o.birth);
		return proc_alive(&p) != 1;
	}
	return age >= FOREIGN_S;
}

static int
merge_one(struct service *s, const char *path, const char *capture,
    struct error *e)
{

	if (capture_concat(&path, 1, capture, e) != 0)
		return -1;
	if (unlink(path) != 0)
		return error_set(e, "cannot remove '%s':", path);
	atomic_fetch_add(&s->spools_merged, 1);
	return 1;
}

int
spool_merge(struct service *s, const char *uuid, const char *capture,
    const struct session *se, struct error *e)
{
	DIR *dir = opendir(s->spool);
	char path[PATH_MAX], owner[33];
	struct dirent *d;
	uint64_t stream;
	int merged = 0;

	if (dir == NULL)
		return errno == ENOENT ? 0 :
		    error_set(e, "cannot read '%s':", s->spool);
	while ((d = readdir(dir)) != NULL) {
		if (!spool_name(d->d_name, owner, &stream) ||
		    strcmp(owner, uuid) != 0 ||
		    paths_join(path, s->spool, d->d_name, NULL) != 0 ||
		    (!stream_over(se, stream) && !settled(path)))
			continue;
		if (merge_one(s, path, capture, e) < 0) {
			merged = -1;
			break;
		}
		merged++;
	}
	closedir(dir);
	return merged;
}

/* Stores the run whose spool files were just appended to its capture. */
static void
store_swept(struct service *s, const char *uuid, int files)
{
	struct error e = ERROR_INIT;
	int64_t number;

	if (store_run_add(s->writer, uuid, NULL, 0, &number, &e) !=
	    STORE_OK) {
		log_failure("a spooled run cannot be stored", &e);
		trouble_note(s, uuid, &e);
		return;
	}
	if (run_rebuild(s, uuid, number, &e) != STORE_OK) {
		if (stop_asked())
			return;		/* the next daemon tries again */
		log_failure("a spooled run cannot be stored", &e);
		trouble_note(s, uuid, &e);
		store_run_state(s->writer, number, "truncated", NULL);
		return;
	}
	trouble_over(s, uuid, true);
	log_info("run %lld: %d spool files taken in", (long long)number,
	    files);
}

/* Processes the spool files of one run that is not live. */
static void
sweep_run(struct service *s, const char *uuid)
{
	char dir[PATH_MAX], capture[PATH_MAX];
	struct error e = ERROR_INIT;
	struct stat st;
	int n;

	if (claim_take(s, uuid, false) != 0)
		return;
	if (run_directory(s, uuid, dir, capture, &e) != 0 ||
	    (n = spool_merge(s, uuid, capture, NULL, &e)) < 0) {
		if (stop_asked())
			goto out;
		log_failure("a spool file cannot be merged", &e);
		trouble_note(s, uuid, &e);
	} else if (stat(capture, &st) != 0 || st.st_size == 0) {
		/* No spool file was readable. */
		unlink(capture);
		rmdir(dir);
	} else if (n > 0)
		store_swept(s, uuid, n);
out:
	claim_drop(s, uuid);
}

void
spool_sweep(struct service *s)
{
	DIR *dir = opendir(s->spool);
	char path[PATH_MAX], uuid[33];
	struct dirent *d;

	if (dir == NULL)
		return;
	while ((d = readdir(dir)) != NULL && !atomic_load(&s->stopping))
		if (spool_name(d->d_name, uuid, NULL) && !claim_is_live(s, uuid) &&
		    paths_join(path, s->spool, d->d_name, NULL) == 0 &&
		    settled(path))
			sweep_run(s, uuid);
	closedir(dir);
}

void
spool_covers(struct service *s, const char *uuid, struct live_stream *st,
    uint64_t sequence)
{
	char path[PATH_MAX + 64];
	struct frame_header h;
	struct frame_file source;
	uint64_t offset;

	snprintf(path, sizeof(path), "%s/%s.%016llx.spool", s->spool, uuid,
	    (unsigned long long)st->id);
	if (access(path, R_OK) != 0 || frame_file_open_path(&source, path, NULL))
		return;
	source.offset = st->spooled;
	while (st->next < sequence &&
	    frame_file_next(&source, &h, &offset) > 0) {
		st->spooled = offset + FRAME_HEADER_SIZE + h.stored;
		if (h.stream == st->id && h.sequence <= st->next &&
		    h.sequence + h.records > st->next)
			st->next = h.sequence + h.records;
	}
	frame_file_close(&source);
}
