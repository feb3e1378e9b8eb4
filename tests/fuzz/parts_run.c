#include "h200.h"
#include "wire/record.h"

#include "fuzz/parts.h"

#define PUT(name, ...) do {						\
	struct record_##name r_ = { __VA_ARGS__ };			\
	len += record_put_##name(out + len, cap - len, &r_);		\
} while (0)

/* The times are plausible for the model: a launch every 10 µs. */
size_t
parts_short_run(uint8_t *out, size_t cap)
{
	struct wire_str id = wire_str_of(PARTS_RUN);
	size_t len = 0;
	uint32_t i;
	uint64_t t;

	PUT(HELLO, .protocol = 1, .level = LEVEL_COUNTERS, .pid = 10,
	    .start_ns = PARTS_T0, .now_ns = PARTS_T0, .run = id,
	    .exe = wire_str_of("/bin/app"), .command = wire_str_of("app"));
	PUT(DEVICE, .id = 0, H200_LIMITS,
	    .core_khz = 1980000, .memory_bandwidth = 4800000000000u,
	    .name = wire_str_of("GPU"), .chip = wire_str_of("GH100"),
	    .uuid = id);
	PUT(CONTEXT, .id = 1, .null_stream = 7, .now_ns = PARTS_T0);
	PUT(STRING, .id = 1, .text = wire_str_of("_Z6kernelPf"));
	PUT(SIGNATURE, .id = 1, .name = 1, .grid_x = 100, .grid_y = 1,
	    .grid_z = 1, .block_x = 100, .block_y = 1, .block_z = 1,
	    .regs = 40, .carveout = 255);
	PUT(METRIC, .id = 1, .name = wire_str_of(
	    "sm__warps_active.avg.pct_of_peak_sustained_active"));
	for (i = 0; i < 40; i++) {
		t = PARTS_T0 + 1000000 + i * 10000u;
		PUT(KERNEL, .signature = 1, .context = 1, .stream = 7,
		    .correlation = i, .start_ns = t, .end_ns = t + 4000,
		    .launch_ns = t - 3000, .tid = 10);
		if (i % 4 == 0)
			PUT(COPY, .context = 1, .stream = 7,
			    .start_ns = t + 5000, .end_ns = t + 7000,
			    .bytes = 4096, .kind = COPY_H2D,
			    .src = MEMORY_PAGEABLE, .dst = MEMORY_DEVICE,
			    .tid = 10);
		if (i % 8 == 0)
			PUT(SYNC, .kind = SYNC_CONTEXT, .context = 1,
			    .tid = 10, .start_ns = t + 7000,
			    .end_ns = t + 8000);
	}
	PUT(API, .call = CALL_MALLOC, .tid = 10, .start_ns = PARTS_T0 + 1100000,
	    .end_ns = PARTS_T0 + 1200000);
	PUT(MEMORY, .operation = 1, .kind = MEMORY_DEVICE, .context = 1,
	    .address = 4096, .bytes = 1 << 20, .now_ns = PARTS_T0 + 1150000);
	PUT(COUNTERS, .signature = 1, .mode = MODE_SPREAD, .launches = 3,
	    .complete = 1, .values = { (const uint8_t *)
	    "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\x49\x40", 16 });
	PUT(BYE, .now_ns = PARTS_T0 + 3000000, .reason = BYE_EXIT);
	return len;
}

