/* Imports captures that were recorded elsewhere. */
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/text.h"
#include "capture/capture_merge.h"
#include "capture/enrich.h"
#include "service/internal.h"
#include "model/model.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* A capture without its beginning has no run id. Derives one from its streams, which is
 * the same at each import. */
static void
name_run(struct documents *docs, const struct capture_index *x)
{
	uint64_t a = 0, b;
	size_t i;

	if (text_is_hex(docs->uuid, 32))
		return;
	for (i = 0; i < x->frames; i++)
		a ^= XXH64(&x->frame[i].stream, sizeof(uint64_t), 0) *
		    (x->frame[i].sequence * 2 + 1);
	b = XXH64(&a, sizeof(a), 1);
	snprintf(docs->uuid, sizeof(docs->uuid), "%016llx%016llx",
	    (unsigned long long)a, (unsigned long long)b);
}

/* A capture without records could not be loaded again. */
static int
holds_records(const struct capture_index *x, struct error *e)
{

	if (x->frames == 0)
		return error_set(e, "it has no records");
	return 0;
}

/* Loads the capture into ${m}. One with too many frames is condensed into the file
 * ${spare} first; then ${x} is the index of ${spare}. */
static int
read_capture(int fd, const char *path, const char *spare, struct model *m,
    struct capture_stats *stats, struct capture_index *x, struct error *e)
{
	char name[64];
	int rc;

	memset(stats, 0, sizeof(*stats));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	rc = fd >= 0 ? capture_load_fd(fd, "the uploaded file", m, stats, x, e) :
	    capture_load_file(path, m, stats, x, e);
	if (rc == 0 || !stats->crowded)
		return rc;
	*e = (struct error)ERROR_INIT;
	if (capture_condense(fd >= 0 ? name : path, spare, e) != 0)
		return -1;
	return capture_load_file(spare, m, stats, x, e);
}

static struct documents *
load(struct service *s, int fd, const char *path, const char *spare,
    struct capture_index *x, struct capture_stats *stats, struct error *e)
{
	struct model *m = model_new();
	struct documents *docs = NULL;
	const struct run *run = NULL;
	char name[64];

	if (m == NULL) {
		error_memory(e);
		return NULL;
	}
	if (read_capture(fd, path, spare, m, stats, x, e) == 0 &&
	    holds_records(x, e) == 0 && enrich_model(m, NULL, NULL, e) == 0) {
		docs = analyse(m, true, s->config->thresholds, 0, &run);
		if (docs != NULL) {
			capture_index_kernels(x, run);
			snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
			run_ranges(docs, access(spare, F_OK) == 0 ? spare :
			    fd >= 0 ? name : path, x);
		} else {
			analyse_error(e);
		}
	}
	model_free(m);
	return docs;
}

/* Merges the frames of ${path} into the capture in the run's directory. If there was
 * one, analyses both together and replaces *${docs} and ${x}. */
static int
place(struct service *s, const char *path, const char *spare,
    struct documents **docs, struct capture_index *x, uint64_t *bytes,
    struct error *e)
{
	char dir[PATH_MAX], capture[PATH_MAX], new[PATH_MAX], both[PATH_MAX];
	const char *part[2] = { capture, path };
	struct capture_stats stats;
	int rc = -1;

	if (run_directory(s, (*docs)->uuid, dir, capture, e) != 0 ||
	    capture_settle(capture, e) != 0 ||
	    paths_join(new, dir, "capture.new", e) != 0 ||
	    paths_join(both, dir, "capture.both", e) != 0)
		return -1;
	unlink(both);
	if (access(capture, F_OK) == 0) {
		capture_index_clear(x);
		documents_free(*docs);
		*docs = NULL;
		if (capture_concat(part, 2, both, e) != 0)
			goto out;
		unlink(spare);
		*docs = load(s, -1, both, spare, x, &stats, e);
		if (*docs == NULL)
			goto out;
		path = access(spare, F_OK) == 0 ? spare : both;
	}
	if (capture_copy(path, x, new, e) != 0)
		goto out;
	if (rename(new, capture) != 0) {
		error_set(e, "cannot put the capture in place:");
		goto out;
	}
	*bytes = x->frames == 0 ? 0 : x->frame[x->frames - 1].offset +
	    FRAME_HEADER_SIZE + x->frame[x->frames - 1].stored;
	rc = 0;
out:
	unlink(both);
	unlink(new);
	rmdir(dir);		/* only if it is empty */
	return rc;
}

int
service_import(struct service *s, int fd, struct error *e, int64_t *number,
    struct capture_stats *stats)
{
	struct capture_index x = { 0 };
	struct capture_stats ignored;
	struct documents *docs;
	char path[64], spare[PATH_MAX], uuid[33] = "";
	uint64_t bytes = 0;
	int rc = -1;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (paths_join(spare, s->runs, IMPORT_SPARE, e) != 0)
		return -1;
	pthread_mutex_lock(&s->heavy);
	unlink(spare);
	if ((docs = load(s, fd, NULL, spare, &x, stats != NULL ?
	    stats : &ignored, e)) == NULL)
		goto out;
	name_run(docs, &x);
	text_copy(uuid, sizeof(uuid), docs->uuid);
	/* Do not wait for the claim: its owner may wait for the lock that is held
	 * here. */
	if (claim_take(s, uuid, false) != 0) {
		error_code(e, ERROR_BUSY, "run %s is being worked on", uuid);
		error_remedy(e, "try again when its program has ended");
		uuid[0] = '\0';
		goto out;
	}
	if (place(s, access(spare, F_OK) == 0 ? spare : path, spare, &docs,
	    &x, &bytes, e) != 0)
		goto out;
	text_copy(docs->uuid, sizeof(docs->uuid), uuid);
	if (store_run_add(s->writer, uuid, docs->label, docs->started_ns,
	    number, e) == STORE_OK &&
	    store_put(s->writer, *number, docs, &x, bytes, e) == STORE_OK) {
		events_add(s, "run", *number, uuid, docs->state);
		trouble_over(s, uuid, true);
		rc = 0;
	}
out:
	unlink(spare);
	if (uuid[0] != '\0')
		claim_drop(s, uuid);
	pthread_mutex_unlock(&s->heavy);
	documents_free(docs);
	capture_index_clear(&x);
	malloc_trim(0);
	return rc;
}
