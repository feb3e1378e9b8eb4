#include <string.h>

#include "h200.h"
#include "wire/frame.h"
#include "wire/record.h"

#include "stream.h"

#define KERNELS 25u
#define ROOM 4096u		/* for the records of one step */
#define BEGIN_NS 1700000000000000000u

#define PUT(name, ...) do {						\
	struct record_##name r_ = { __VA_ARGS__ };			\
	s->len += record_put_##name(s->frame + s->len,			\
	    sizeof(s->frame) - s->len, &r_);				\
	s->records++;							\
} while (0)

static void
definitions(struct bench_stream *s)
{
	char name[32];
	uint32_t i;

	PUT(HELLO, .protocol = WIRE_PROTOCOL, .level = LEVEL_COUNTERS,
	    .pid = 4242, .start_ns = s->now_ns, .now_ns = s->now_ns,
	    .run = wire_str_of(s->run), .exe = wire_str_of("/bench"),
	    .command = wire_str_of("bench"), .host = wire_str_of("bench"));
	PUT(DEVICE, .id = 0, H200_LIMITS,
	    .core_khz = 1980000, .memory_bandwidth = 4800000000000u,
	    .l2_bytes = 50u << 20, .name = wire_str_of("bench"),
	    .chip = wire_str_of("GH100"),
	    .uuid = wire_str_of("00112233445566778899aabbccddeeff"));
	PUT(CONTEXT, .id = 1, .null_stream = 7, .now_ns = s->now_ns);
	for (i = 0; i < KERNELS; i++) {
		memcpy(name, "_Z8kernel00Pf", sizeof("_Z8kernel00Pf"));
		name[9] = (char)('0' + i / 10);
		name[10] = (char)('0' + i % 10);
		PUT(STRING, .id = i + 1, .text = wire_str_of(name));
		PUT(SIGNATURE, .id = i + 1, .name = i + 1, .grid_x = 100 + i,
		    .grid_y = 1, .grid_z = 1, .block_x = 128, .block_y = 1,
		    .block_z = 1, .regs = 40, .carveout = 255);
	}
}

static void
step(struct bench_stream *s)
{
	uint32_t n = (uint32_t)s->launches;
	uint64_t begin = s->now_ns;

	PUT(KERNEL, .signature = n % KERNELS + 1, .context = 1,
	    .stream = 7 + n % 4, .correlation = n, .start_ns = begin,
	    .end_ns = begin + 3000 + n % 977, .launch_ns = begin - 5000,
	    .tid = 4242);
	s->now_ns += 4500 + n % 331;
	if (n % 100 == 99)
		PUT(COPY, .context = 1, .stream = 7, .correlation = n,
		    .start_ns = s->now_ns, .end_ns = s->now_ns + 2000,
		    .launch_ns = s->now_ns - 3000, .bytes = 65536,
		    .kind = COPY_H2D, .src = MEMORY_PINNED,
		    .dst = MEMORY_DEVICE, .flags = COPY_ASYNC, .tid = 4242);
	if (n % 1000 == 999)
		PUT(SYNC, .kind = SYNC_STREAM, .context = 1, .stream = 7,
		    .tid = 4242, .start_ns = s->now_ns,
		    .end_ns = s->now_ns + 1000);
	s->launches++;
}

void
stream_init(struct bench_stream *s, const char *run, uint64_t id,
    uint64_t launches)
{
	memset(s, 0, offsetof(struct bench_stream, frame));
	s->id = id;
	s->run = run;
	s->total = launches;
	s->now_ns = BEGIN_NS;
	s->len = s->records = 0;
}

int
stream_next(struct bench_stream *s)
{
	struct frame_header h = { .stream = s->id, .sequence = s->sequence };

	if (s->ended)
		return 0;
	s->len = FRAME_HEADER_SIZE;
	s->records = 0;
	if (!s->begun)
		definitions(s);
	s->begun = 1;
	while (s->launches < s->total && s->len < STREAM_FRAME - ROOM)
		step(s);
	if (s->launches == s->total) {
		PUT(BYE, .now_ns = s->now_ns, .reason = BYE_EXIT,
		    .records = s->sequence + s->records + 1);
		s->ended = 1;
	}
	h.stored = h.raw = (uint32_t)(s->len - FRAME_HEADER_SIZE);
	h.records = s->records;
	s->sequence += s->records;
	frame_seal(s->frame, &h);
	return 1;
}
