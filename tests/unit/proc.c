/* Processes whose process id was reused: they have ended, and what they left is
 * ingested. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/proc.h"
#include "unit/served.h"
#include "unit/test.h"

#define S 1000000000ull
#define HOUR (3600 * S)

static uint64_t
clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * S + (uint64_t)t.tv_nsec;
}

/* What a library in this process sends after running for ${age} ns. */
static struct proc_birth
said(uint64_t age)
{
	struct proc_birth b = { 0, clock_ns(CLOCK_REALTIME),
	    clock_ns(CLOCK_MONOTONIC) };

	b.start_ns = b.now_ns - age;
	return b;
}

/* Computed like the library does: see injection/start.c. */
static uint64_t
own_age(void)
{
	struct proc self = proc_of(getpid());

	assert_true(self.start > 0);
	return clock_ns(CLOCK_BOOTTIME) - self.start *
	    (S / (uint64_t)sysconf(_SC_CLK_TCK));
}

TEST(alive)
{
	struct proc self = proc_of(getpid()), none = { 0 }, child;
	pid_t pid;

	assert_int_equal(proc_alive(&self), 1);
	assert_int_equal(proc_alive(&none), -1);
	if ((pid = fork()) == 0)
		pause();
	child = proc_of(pid);
	assert_int_equal(proc_alive(&child), 1);
	kill(pid, SIGKILL);
	waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	assert_int_equal(proc_alive(&child), 0);	/* a zombie */
	waitpid(pid, NULL, 0);
	assert_int_equal(proc_alive(&child), 0);
	/* The same id, another start time. */
	self.start++;
	assert_int_equal(proc_alive(&self), 0);
}

static int
is_alive(struct proc_birth b)
{
	struct proc p = proc_born(getpid(), &b);

	return proc_alive(&p);
}

TEST(born)
{
	struct proc_birth b = said(own_age());

	assert_int_equal(is_alive(b), 1);
	/* The start time is unknown: only the id counts. */
	assert_int_equal(is_alive((struct proc_birth){ 0 }), 1);
	/* The system clock was changed since, by hours, in either direction. */
	b.start_ns += 3 * HOUR;
	b.now_ns += 3 * HOUR;
	assert_int_equal(is_alive(b), 1);
	b.start_ns -= 6 * HOUR;
	b.now_ns -= 6 * HOUR;
	assert_int_equal(is_alive(b), 1);
	/* Or the machine was rebooted, which resets the other clock. */
	b = said(own_age());
	b.now_mono_ns += HOUR;
	assert_int_equal(is_alive(b), 1);
	/* Both: then the id does not identify the process. */
	b.now_ns -= HOUR;
	b.start_ns -= HOUR;
	assert_int_equal(is_alive(b), 0);
	/* The process was older, or younger. */
	assert_int_equal(is_alive(said(own_age() + 10 * S)), 0);
	/* Impossible values are not this process. */
	assert_int_equal(is_alive((struct proc_birth){ 1, 0, 0 }), 0);
	assert_int_equal(is_alive((struct proc_birth){ UINT64_MAX, 1, 1 }), 0);
	assert_int_equal(is_alive((struct proc_birth){ 1, UINT64_MAX, 1 }), 0);
	assert_int_equal(is_alive((struct proc_birth){ 1, 1,
	    UINT64_MAX }), 0);
}

static int
set_up(void **state)
{
	(void)state;
	serve(1000, 100);
	return 0;
}

/* A process that sent no BYE, with our process id and the birth ${b}. */
static void
unfinished(struct fixture *f, struct proc_birth b)
{
	struct stat st;

	assert_int_equal(stat("/proc/self/ns/pid", &st), 0);
	fixture_init(f, 5);
	fixture_put_HELLO(f, &(struct record_HELLO){
	    .protocol = WIRE_PROTOCOL, .level = LEVEL_TRACE,
	    .pid = (uint32_t)getpid(), .pidns = (uint64_t)st.st_ino,
	    .start_ns = b.start_ns, .now_ns = b.now_ns,
	    .now_mono_ns = b.now_mono_ns,
	    .run = wire_str_of(FIXTURE_RUN) });
	fixture_flush(f);
	fixture_device(f);
	fixture_signature(f, 1, "_Z7saxpy_kPfS_f");
	fixture_kernels(f, 1, 40, 1000);
	fixture_flush(f);
}

/* The spool file of an earlier process with our process id is ingested. */
TEST_WITH(spool_of_a_reused_number, set_up, serve_end)
{
	struct store_run r;
	struct fixture f;
	char name[400];

	service_stop(service);
	unfinished(&f, said(own_age() + HOUR));
	spool_path(name, sizeof(name), FIXTURE_RUN, 5);
	fixture_write(&f, name, f.len);
	serve_again();
	wait_state(FIXTURE_RUN, NULL, &r);
	assert_string_equal(r.state, "truncated");
	store_run_clear(&r);
	assert_int_equal(access(name, F_OK), -1);
	fixture_free(&f);
}

/* But not the file that we are writing: the sweep of the spool leaves it. */
TEST_WITH(spool_of_the_living, set_up, serve_end)
{
	struct service_counters c;
	char name[400], sibling[400];
	struct fixture f, other;
	const char *uuid = "ffeeddccbbaa99887766554433221100";

	service_stop(service);
	unfinished(&f, said(own_age()));
	spool_path(name, sizeof(name), FIXTURE_RUN, 5);
	fixture_write(&f, name, f.len);
	/* The file of a process that has ended: when it is gone, the sweep is done. */
	fixture_init(&other, 6);
	fixture_process(&other, uuid, 1, 40, 20);
	spool_path(sibling, sizeof(sibling), uuid, 6);
	fixture_write(&other, sibling, other.len);
	serve_again();
	do {
		usleep(5000);
		service_counters(service, &c);
	} while (c.spools_merged == 0);
	service_stop(service);
	serve_again();
	assert_int_equal(access(name, F_OK), 0);
	fixture_free(&f);
	fixture_free(&other);
}

/* A run of an earlier daemon, by a process whose id is now ours, ends when no
 * process reconnects to it, and can be removed. */
TEST_WITH(run_of_a_reused_number, set_up, serve_end)
{
	struct error e = ERROR_INIT;
	struct store_run r;
	uint8_t ack[64];
	struct fixture f;
	int fd = dial();

	unfinished(&f, said(own_age() + HOUR));
	transmit(fd, f.file, f.len);
	assert_true(recv(fd, ack, sizeof(ack), 0) > 0);
	service_stop(service);
	close(fd);
	serve_again();
	wait_state(FIXTURE_RUN, NULL, &r);
	assert_string_equal(r.state, "truncated");
	store_run_clear(&r);
	assert_int_equal(service_delete(service, 1, &e), STORE_OK);
	fixture_free(&f);
}
