/*
 * fuzz_timeline.c: what is computed from a stored run: windows of its timeline,
 * pages of a kernel's launches. The documents are fixed; the capture and its
 * index are the input: chunks (parts.h), after one that says what is asked.
 */
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "report/analyse.h"
#include "capture/capture.h"
#include "service/internal.h"
#include "wire/frame.h"

#include "fuzz/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAGES 64

static const char stored[] =
    "{\"from_ns\":0,\"to_ns\":10000000,\"bin_ns\":1000000,\"devices\":["
    "{\"device\":0,\"name\":\"GPU\",\"rows\":["
    "{\"row\":\"kernel\",\"busy_ratio\":[0.5,1,0,0.25],\"count\":[3,1,0,1]},"
    "{\"row\":\"h2d\",\"busy_ratio\":[0,1],\"count\":[0,2]}]},"
    "{\"device\":1,\"name\":null,\"rows\":[]}]}";

/* Stores a run with this capture; returns its number, or 0. */
static int64_t
store(struct service *s, const char *capture)
{
	struct document doc = { .noun = "timeline" };
	struct documents docs = { .item = &doc, .items = 1,
	    .uuid = PARTS_RUN, .state = "finished",
	    .started_ns = (int64_t)PARTS_T0, .wall_ns = 10000000 };
	struct error e = ERROR_INIT;
	struct capture_index x;
	int64_t number = 0;
	size_t i;

	if (capture_load_index(capture, &x, &e) != 0)
		return 0;
	for (i = 0; i < x.signatures; i++)
		x.signature[i].kernel = x.signature[i].signature % 3;
	for (i = 0; i < x.devices; i++)
		x.device[i].device = x.device[i].ordinal % 3;
	WANT((doc.json = strdup(stored)) != NULL);
	WANT(store_run_add(s->writer, PARTS_RUN, NULL, 0, &number, &e) ==
	    STORE_OK);
	WANT(store_put(s->writer, number, &docs, &x, 9, &e) == STORE_OK);
	free(doc.json);
	capture_index_clear(&x);
	return number;
}

static void
window(struct service *s, int64_t number, struct input *ask)
{
	uint64_t from = input_u64(ask), to = input_u64(ask);
	unsigned px = input_u16(ask);
	struct error e = ERROR_INIT;
	const json_t *devices, *row;
	json_t *out;

	WANT(service_timeline(s, number, from, to, px, &out, &e) == STORE_OK);
	devices = json_object_get(out, "devices");
	WANT(json_array_size(devices) == 2);
	row = json_array_get(json_object_get(json_array_get(devices, 0),
	    "rows"), 0);
	WANT(json_array_size(json_object_get(row, "count")) <=
	    (px == 0 ? 1 : px));
	json_decref(out);
}

/* The sums must cover every operation, the items no more than were asked for. */
static void
operations(struct service *s, int64_t number, struct input *ask)
{
	uint64_t from = input_u64(ask), to = input_u64(ask), n = 0;
	size_t limit = 1 + input_u8(ask) % 5u, i;
	struct error e = ERROR_INIT;
	const json_t *sums;
	json_t *out, *all;

	if (service_window(s, number, from, to, limit, &out, &e) != STORE_OK)
		return;		/* the capture ends in the middle of a frame */
	WANT(json_array_size(json_object_get(out, "items")) <= limit);
	sums = json_object_get(out, "sums");
	for (i = 0; i < json_array_size(sums); i++)
		n += (uint64_t)json_integer_value(json_object_get(
		    json_array_get(sums, i), "count"));
	all = json_object_get(out, "operations");
	WANT(!json_is_integer(all) ||
	    json_integer_value(json_object_get(out, "sums_left_out")) > 0 ||
	    n == (uint64_t)json_integer_value(all));
	json_decref(out);
}

/* Paging must return as many launches as one page with all of them. */
static void
launches(struct service *s, int64_t number, uint32_t kernel, size_t limit)
{
	char cursor[STORE_CURSOR_SIZE] = "", next[STORE_CURSOR_SIZE];
	struct error e = ERROR_INIT;
	size_t all, n = 0, page, pages = 0;
	enum store_status st;
	json_t *out;

	st = service_launches(s, number, kernel, 0, 0, "", 1 << 20, &out, next,
	    &e);
	if (st != STORE_OK)
		return;		/* no frame has a time */
	WANT(next[0] == '\0');
	all = json_array_size(out);
	json_decref(out);
	do {
		WANT(service_launches(s, number, kernel, 0, 0, cursor, limit, &out,
		    next, &e) == STORE_OK);
		page = json_array_size(out);
		WANT(page <= limit);
		n += page;
		json_decref(out);
		memcpy(cursor, next, sizeof(cursor));
	} while (cursor[0] != '\0' && ++pages < PAGES);
	WANT(n == all || pages == PAGES);
}

static void
any_cursor(struct service *s, int64_t number, struct input *ask)
{
	char cursor[STORE_CURSOR_SIZE], next[STORE_CURSOR_SIZE];
	struct error e = ERROR_INIT;
	json_t *out;

	input_text(ask, cursor, sizeof(cursor), ask->len);
	service_launches(s, number, 1, 0, 0, cursor, 3, &out, next, &e);
	json_decref(out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t frames[1 << 20];
	struct service *s = parts_service();
	struct input in = { data, size }, ask;
	char dir[PATH_MAX], capture[PATH_MAX];
	struct error e = ERROR_INIT;
	int64_t number;
	size_t n;

	ask = input_bytes(&in, input_u8(&in));
	n = input_frames(&in, frames, sizeof(frames));
	WANT(run_directory(s, PARTS_RUN, dir, capture, &e) == 0);
	parts_file(capture, frames, n);
	if ((number = store(s, capture)) != 0) {
		window(s, number, &ask);
		window(s, number, &ask);
		launches(s, number, input_u8(&ask) % 4u,
		    1 + input_u8(&ask) % 5u);
		any_cursor(s, number, &ask);
		operations(s, number, &ask);
		WANT(store_run_delete(s->writer, number, &e) == STORE_OK);
	}
	unlink(capture);
	return 0;
}
