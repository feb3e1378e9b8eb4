/*
 * rules/faults_transfer.c: runs with one fault each in how they move data, and
 * runs that almost have one.
 */
#include "rules/faults.h"

#define MS 1000000ull
#define S (1000 * MS)
#define GB 1000000000ull

/* Pinned copies in one direction for ${ms} in total, 25 MB each at 50 GB/s. */
static struct copy_class *
copies(struct made *m, enum wire_copy kind, uint64_t ms)
{
	struct copy_class *c = &m->copy[m->run.copies++];

	*c = (struct copy_class){ .kind = kind, .async = true,
	    .src = kind == COPY_H2D ? MEMORY_PINNED : MEMORY_DEVICE,
	    .dst = kind == COPY_H2D ? MEMORY_DEVICE : MEMORY_PINNED,
	    .size_class = 24, .count = 2 * ms, .bytes = ms * 50 * 1000000,
	    .gpu_ns = ms * MS, .exposed_ns = (double)(ms * MS) };
	m->device[0].copy_ns += ms * MS;
	m->device[0].busy_ns += ms * MS;
	return c;
}

/* Half a second in each direction in a thousand iterations, never at the same time. */
FAULT(one_way)
{
	struct device *d = &m->device[0];

	made_counters(m, made_kernel(m, "_Z4workPf", 1000, 20000), 0.92);
	m->run.wall_ns = 2 * S;
	d->limits.async_engines = 3;
	copies(m, COPY_H2D, 500);
	copies(m, COPY_D2H, 500);
	d->h2d_ns = d->h2d_bare_ns = 500 * MS;
	d->d2h_ns = d->d2h_bare_ns = 500 * MS;
	d->turns = 1000;
}

FAULT(both_ways)
{
	fault_one_way(m);
	m->device[0].both_ns = 450 * MS;
	m->device[0].h2d_bare_ns = m->device[0].d2h_bare_ns = 50 * MS;
	m->device[0].copy_ns = 550 * MS;
	m->copy[0].exposed_ns = m->copy[1].exposed_ns = 275e6;
}

/* First all inputs, then all results: two phases, no loop. */
FAULT(there_then_back)
{
	fault_one_way(m);
	m->device[0].turns = 1;
}

FAULT(one_engine)
{
	fault_one_way(m);
	m->device[0].limits.async_engines = 1;
}

FAULT(blocking_turns)
{
	fault_one_way(m);
	m->copy[0].async = m->copy[1].async = false;
}

/* 10 GB of pages for a second of kernels. */
FAULT(migrating)
{
	made_kernel(m, "_Z4workPf", 1000, 1000000);
	m->run.wall_ns = 2 * S;
	m->run.unified = (struct unified){ .used = true, .watched = true,
	    .up_bytes = 10 * GB, .gpu_faults = 100000, .fault_ns = 900 * MS,
	    .cpu_faults = 2000, .down_bytes = GB, .host_ns = 40 * MS };
}

/* The same, from a driver that records only the copies. */
FAULT(migrating_untold)
{
	fault_migrating(m);
	m->run.unified.gpu_faults = 0;
	m->run.unified.up_batches = 9000;
}

/* 1 ms of migration, at the start. */
FAULT(first_touch_untold)
{
	fault_good(m);
	m->run.unified = (struct unified){ .used = true, .watched = true,
	    .up_bytes = 65536, .up_batches = 9, .fault_ns = 500 * MS };
}

FAULT(prefetched)
{
	fault_good(m);
	m->run.unified = (struct unified){ .used = true, .watched = true,
	    .asked_bytes = 10 * GB, .up_bytes = GB / 100, .gpu_faults = 40,
	    .fault_ns = 20 * MS };
}

/* A few page faults that are all of a short kernel's time. */
FAULT(first_touch)
{
	fault_good(m);
	m->run.unified = (struct unified){ .used = true, .watched = true,
	    .up_bytes = 4096, .gpu_faults = 2, .fault_ns = 500 * MS };
}

FAULT(unwatched)
{
	fault_good(m);
	m->run.unified = (struct unified){ .used = true, .refused = 38 };
}

static void
resend(struct made *m, enum resent_kind kind)
{
	fault_good(m);
	copies(m, COPY_H2D, 200);
	copies(m, COPY_D2H, 200);
	m->resent[0] = (struct resent){ .kind = kind, .ranges = 2,
	    .count = 400, .bytes = 10 * GB, .gpu_ns = 200 * MS,
	    .down_ns = kind == RESENT_ROUND ? 200 * MS : 0 };
	m->run.resents = 1;
	m->run.copies_located = 800;
}

FAULT(round_trips)
{
	resend(m, RESENT_ROUND);
	m->resent[0].quick_count = 400;
	m->resent[0].quick_ns = m->resent[0].quick_down_ns = 200 * MS;
}

FAULT(round_trips_blocking)
{
	fault_round_trips(m);
	m->copy[0].async = m->copy[1].async = false;
	m->copy[1].idle_waited_ns = 500 * MS;
	m->run.idle_ns[IDLE_AFTER_SYNC] = 500 * MS;
	m->run.idle_total_ns += 500 * MS;
}

/* One pinned buffer, which the host refills for every batch. */
FAULT_IS(staging_buffer, resend(m, RESENT_AGAIN))

FAULT(sent_once)
{
	resend(m, RESENT_AGAIN);
	m->resent[0].count = 3;
}

/* A buffer is copied to a larger one for each step, as long as the step. */
FAULT(appended)
{
	fault_good(m);
	copies(m, COPY_D2D, 1500);
}

/* A snapshot for the host, a fiftieth of the time. */
FAULT(snapshots)
{
	fault_appended(m);
	m->copy[0].gpu_ns /= 50;
	m->copy[0].exposed_ns /= 50;
}

/* Set up once. */
FAULT(copied_once)
{
	fault_appended(m);
	m->copy[0].count = 5;
}

FAULT(unlocated)
{
	resend(m, RESENT_AGAIN);
	m->run.resents = 0;
	m->run.copies_located = 10;
	m->run.copies_unlocated = 790;
}

FAULT(staged)
{
	fault_good(m);
	made_device(m);
	copies(m, COPY_D2H, 300);
	copies(m, COPY_H2D, 250);
	m->peer[0] = (struct peer){ .from = 0, .to = 1, .known = true,
	    .can = true, .staged = 500, .staged_bytes = 12 * GB,
	    .down_ns = 300 * MS, .up_ns = 250 * MS };
	m->run.peers = 1;
}

/* The records end long before the data can have arrived. */
FAULT(staged_untold)
{
	fault_staged(m);
	m->peer[0].down_ns = m->peer[0].up_ns = 4 * MS;
}

/* One record for each copy, at a tenth of the link's bandwidth. */
FAULT(slow_peer)
{
	fault_good(m);
	made_device(m);
	copies(m, COPY_P2P, 500);
	m->peer[0] = (struct peer){ .from = 0, .to = 1, .known = true,
	    .can = true, .copies = 500, .bytes = 25 * GB / 10,
	    .gpu_ns = 500 * MS };
	m->run.peers = 1;
}

FAULT(direct)
{
	fault_slow_peer(m);
	m->peer[0].bytes = 150 * GB;
}

FAULT(no_peers)
{
	fault_staged(m);
	m->peer[0].can = false;
}

FAULT(peers_unknown)
{
	fault_staged(m);
	m->peer[0].known = m->peer[0].can = false;
}

/* A second of work on one of two GPUs and ${other_ms} on the other, all within
 * ${busy_ms}. */
static void
two_gpus(struct made *m, uint64_t other_ms, uint64_t busy_ms)
{
	struct device *d;

	made_counters(m, made_kernel(m, "_Z4workPf", 5000, 200000), 0.92);
	d = made_device(m);
	d->kernel_ns = d->busy_ns = other_ms * MS;
	m->run.wall_ns = 4 * S;
	m->run.gpus_busy_ns = busy_ms * MS;
	m->run.idle_ns[IDLE_AFTER_SYNC] = (busy_ms - 1000) * MS;
	m->run.idle_total_ns += (busy_ms - 1000) * MS;
}

FAULT_IS(in_turn, two_gpus(m, 1000, 2000))

FAULT(uneven_gpus)
{
	two_gpus(m, 1000, 2000);
	m->run.idle_ns[IDLE_AFTER_SYNC] = 0;
	m->device[0].kernel_ns = m->device[0].busy_ns = 2000 * MS;
	m->device[1].kernel_ns = m->device[1].busy_ns = 600 * MS;
}

FAULT_IS(side_by_side, two_gpus(m, 950, 1050))
FAULT_IS(one_of_two, two_gpus(m, 1, 1000))

FAULT(hidden_gpu)
{
	two_gpus(m, 0, 1000);
	m->device[1].hidden = true;
}
