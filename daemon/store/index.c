/* The signatures and devices of a capture, as two blobs of fixed little-endian
 * rows. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "capture/capture.h"
#include "store/internal.h"
#include "wire/le.h"

#define SIGNATURE_ROW 24
#define DEVICE_ROW 16

static uint8_t *
pack_signatures(const struct capture_index *x)
{
	uint8_t *buf = malloc(x->signatures * SIGNATURE_ROW + 1), *p = buf;
	size_t i;

	for (i = 0; buf != NULL && i < x->signatures; i++,
	    p += SIGNATURE_ROW) {
		le64_put(p, x->signature[i].stream);
		le32_put(p + 8, x->signature[i].signature);
		le32_put(p + 12, x->signature[i].kernel);
		le64_put(p + 16, x->signature[i].ordinal);
	}
	return buf;
}

static uint8_t *
pack_devices(const struct capture_index *x)
{
	uint8_t *buf = malloc(x->devices * DEVICE_ROW + 1), *p = buf;
	size_t i;

	for (i = 0; buf != NULL && i < x->devices; i++, p += DEVICE_ROW) {
		le64_put(p, x->device[i].stream);
		le32_put(p + 8, x->device[i].ordinal);
		le32_put(p + 12, x->device[i].device);
	}
	return buf;
}

enum store_status
store_put_index(struct store *s, int64_t number,
    const struct capture_index *x, struct error *e)
{
	uint8_t *signatures = pack_signatures(x), *devices = pack_devices(x);
	enum store_status st = STORE_FAILED;
	sqlite3_stmt *q = NULL;

	if (signatures == NULL || devices == NULL) {
		error_memory(e);
		goto out;
	}
	q = store_query(s, e, "INSERT OR REPLACE INTO frames "
	    "(run, signature, device) VALUES (?, ?, ?)", "i", number);
	if (q == NULL)
		goto out;
	sqlite3_bind_blob64(q, 2, signatures, x->signatures * SIGNATURE_ROW,
	    SQLITE_STATIC);
	sqlite3_bind_blob64(q, 3, devices, x->devices * DEVICE_ROW,
	    SQLITE_STATIC);
	st = sqlite3_step(q) == SQLITE_DONE ? STORE_OK :
	    store_fail(s, e, "store the run");
	if (st == STORE_OK)
		st = store_put_frames(s, number, x, e);
out:
	sqlite3_finalize(q);
	free(signatures);
	free(devices);
	return st;
}

static int
unpack(struct capture_index *x, sqlite3_stmt *q)
{
	size_t signatures = (size_t)sqlite3_column_bytes(q, 0) / SIGNATURE_ROW;
	size_t devices = (size_t)sqlite3_column_bytes(q, 1) / DEVICE_ROW, i;
	const uint8_t *p;

	x->signature = calloc(signatures + 1, sizeof(*x->signature));
	x->device = calloc(devices + 1, sizeof(*x->device));
	if (x->signature == NULL || x->device == NULL)
		return -1;
	p = sqlite3_column_blob(q, 0);
	for (i = 0; i < signatures; i++, p += SIGNATURE_ROW)
		x->signature[i] = (struct capture_signature){
			le64_get(p), le32_get(p + 8), le32_get(p + 12),
			(uint32_t)le64_get(p + 16), 0
		};
	p = sqlite3_column_blob(q, 1);
	for (i = 0; i < devices; i++, p += DEVICE_ROW)
		x->device[i] = (struct capture_device){
			le64_get(p), le32_get(p + 8), le32_get(p + 12), 0
		};
	x->signatures = signatures;
	x->devices = devices;
	capture_index_sort(x);	/* an older version stored them unsorted */
	return 0;
}

enum store_status
store_index(struct store *s, int64_t number, struct capture_index *x,
    struct error *e)
{
	enum store_status st = STORE_NONE;
	sqlite3_stmt *q;
	int rc;

	memset(x, 0, sizeof(*x));
	pthread_mutex_lock(&s->lock);
	q = store_query(s, e, "SELECT signature, device FROM frames "
	    "WHERE run = ?", "i", number);
	if (q == NULL)
		st = STORE_FAILED;
	else if ((rc = sqlite3_step(q)) == SQLITE_ROW) {
		st = STORE_OK;
		if (unpack(x, q) != 0) {
			capture_index_clear(x);
			error_memory(e);
			st = STORE_FAILED;
		}
	} else if (rc != SQLITE_DONE)
		st = store_fail(s, e, "read the database");
	sqlite3_finalize(q);
	pthread_mutex_unlock(&s->lock);
	return st;
}
