#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "h200.h"
#include "unit/fixtures.h"
#include "wire/frame.h"

#define BATCH (1u << 20)

void
fixture_init(struct fixture *f, uint64_t stream)
{

	memset(f, 0, sizeof(*f));
	f->stream = stream;
	f->now = FIXTURE_T0;
	if ((f->batch = malloc(BATCH)) == NULL)
		abort();
}

void
fixture_free(struct fixture *f)
{

	free(f->file);
	free(f->batch);
	memset(f, 0, sizeof(*f));
}

#define RECORD(name, number, doc, fields)				\
	void								\
	fixture_put_##name(struct fixture *f,				\
	    const struct record_##name *r)				\
	{								\
		size_t n = record_put_##name(f->batch + f->batch_len,	\
		    BATCH - f->batch_len, r);				\
									\
		if (n == 0) {						\
			fixture_flush(f);				\
			n = record_put_##name(f->batch, BATCH, r);	\
		}							\
		if (n == 0)						\
			abort();					\
		f->batch_len += n;					\
		f->batch_records++;					\
	}
#include "wire/record.def"

size_t
fixture_flush(struct fixture *f)
{
	struct frame_header h = { 0 };
	size_t at = f->len, need = f->len + FRAME_HEADER_SIZE + f->batch_len;

	if (f->batch_records == 0)
		return at;
	if (need > f->cap) {
		f->cap = 2 * need;
		if ((f->file = realloc(f->file, f->cap)) == NULL)
			abort();
	}
	h.stored = h.raw = (uint32_t)f->batch_len;
	h.stream = f->stream;
	h.sequence = f->sequence;
	h.records = f->batch_records;
	memcpy(f->file + at + FRAME_HEADER_SIZE, f->batch, f->batch_len);
	frame_seal(f->file + at, &h);
	f->sequence += f->batch_records;
	f->len = need;
	f->batch_len = f->batch_records = 0;
	return at;
}

void
fixture_hello(struct fixture *f, const char *run, uint32_t pid)
{

	fixture_put_HELLO(f, &(struct record_HELLO){
		.protocol = WIRE_PROTOCOL, .level = LEVEL_TRACE, .pid = pid,
		.start_ns = FIXTURE_T0 - 1000, .now_ns = FIXTURE_T0,
		.run = wire_str_of(run), .library = wire_str_of("test"),
		.host = wire_str_of("host"), .exe = wire_str_of("/bin/app"),
		.command = wire_str_of("./app"), .cwd = wire_str_of("/"),
		.label = wire_str_of("fixture") });
}

void
fixture_begin(struct fixture *f, const char *run)
{

	fixture_put_RUN_BEGIN(f, &(struct record_RUN_BEGIN){
		.now_ns = FIXTURE_T0 - 2000, .run = wire_str_of(run),
		.command = wire_str_of("./app"), .cwd = wire_str_of("/"),
		.host = wire_str_of("host"), .label = wire_str_of("fixture"),
		.version = wire_str_of("test"), .level = LEVEL_TRACE,
		.budget = 0.05, .uid = (uint32_t)getuid() });
}

void
fixture_end(struct fixture *f)
{

	fixture_put_RUN_END(f, &(struct record_RUN_END){
		.start_ns = FIXTURE_T0 - 2000, .end_ns = f->now + 1000000 });
}

void
fixture_bye(struct fixture *f)
{

	fixture_put_BYE(f, &(struct record_BYE){ .now_ns = f->now,
	    .reason = BYE_EXIT, .records = f->sequence + f->batch_records });
}

void
fixture_device(struct fixture *f)
{

	fixture_put_DEVICE(f, &(struct record_DEVICE){
		.id = 0, H200_LIMITS, .core_khz = 1980000,
		.memory_khz = 3201000, .memory_bus_bits = 6144,
		.memory_bytes = 150754820096ull, .l2_bytes = 62914560,
		.memory_bandwidth = 4917000000000ull, .async_engines = 3,
		.name = wire_str_of("NVIDIA H200"),
		.chip = wire_str_of("gh100"),
		.uuid = wire_str_of("0123456789abcdef0123456789abcdef") });
	fixture_put_CONTEXT(f, &(struct record_CONTEXT){ .id = 1,
	    .device = 0, .null_stream = 7, .now_ns = f->now });
	fixture_put_STREAM(f, &(struct record_STREAM){ .context = 1,
	    .id = 7 });
}

void
fixture_signature(struct fixture *f, uint32_t id, const char *mangled)
{

	fixture_put_STRING(f, &(struct record_STRING){ .id = id,
	    .text = wire_str_of(mangled) });
	fixture_put_SIGNATURE(f, &(struct record_SIGNATURE){ .id = id,
	    .name = id, .grid_x = 1024, .grid_y = 1, .grid_z = 1,
	    .block_x = 256, .block_y = 1, .block_z = 1, .cluster_x = 0,
	    .regs = 32, .carveout = 255 });
}

void
fixture_kernels(struct fixture *f, uint32_t signature, unsigned n,
    uint64_t ns)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		fixture_put_KERNEL(f, &(struct record_KERNEL){
			.signature = signature, .context = 1, .stream = 7,
			.correlation = i + 1, .start_ns = f->now,
			.end_ns = f->now + ns, .launch_ns = f->now - 500,
			.tid = 1 });
		f->now += 2 * ns;
	}
}

void
fixture_process(struct fixture *f, const char *run, uint32_t pid,
    unsigned launches, unsigned per_frame)
{
	unsigned i;

	fixture_hello(f, run, pid);
	fixture_flush(f);
	fixture_device(f);
	fixture_signature(f, 1, "_Z7saxpy_kPfS_f");
	fixture_signature(f, 2, "_Z5otherPf");
	fixture_flush(f);
	for (i = 0; i < launches; i++) {
		fixture_kernels(f, i % 4 == 3 ? 2 : 1, 1, 10000);
		if ((i + 1) % per_frame == 0)
			fixture_flush(f);
	}
	fixture_flush(f);
	fixture_bye(f);
	fixture_flush(f);
}

void
fixture_write(const struct fixture *f, const char *path, size_t len)
{
	FILE *file = fopen(path, "wb");

	if (len > f->len)
		len = f->len;
	if (file == NULL || fwrite(f->file, 1, len, file) != len ||
	    fclose(file) != 0)
		abort();
}

char *
fixture_mkdir(void)
{
	char path[] = "/tmp/cudadvise-test-XXXXXX";

	if (mkdtemp(path) == NULL)
		abort();
	return strdup(path);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{

	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void
fixture_rmdir(char *path)
{

	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(path);
}
