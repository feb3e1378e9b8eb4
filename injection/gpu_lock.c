#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "device.h"
#include "fd.h"
#include "gpu_lock.h"
#include "inject.h"

#define DEVICES 64
#define AGAIN_NS 20000000ull	/* after a refusal, until the next attempt */

static struct {
	struct fd_kept name;
	bool named;			/* ${name} was bound; the program may have
					 * closed it since */
	uint32_t users;
	uint64_t refused_ns;
} gpu[DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Binds an abstract socket name: only one process of the machine can have it, and it is
 * freed when that process ends. 0; -1: errno is EADDRINUSE if another process has
 * it. */
static int
bind_name(uint32_t device)
{
	struct fd_kept *k = &gpu[device].name;
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	char uuid[33];
	int n;

	device_uuid(device, uuid);
	/* Abstract: the name begins with a zero byte and has no file. */
	n = snprintf(a.sun_path + 1, sizeof(a.sun_path) - 1,
	    "cudadvise-measures-%s", uuid);
	if (fd_keep(k, socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) == 0 &&
	    bind(k->fd, (struct sockaddr *)&a, (socklen_t)(offsetof(
	    struct sockaddr_un, sun_path) + 1 + (size_t)n)) == 0)
		return 0;
	fd_drop(k);
	return -1;
}

/* Call with the mutex held. */
static bool
take(uint32_t device)
{
	uint64_t now = inject_now();

	/* If the program closed the socket, the name is free: bind it again, unless
	 * another process has it by now. */
	if (gpu[device].users > 0 && (!gpu[device].named ||
	    fd_ours(&gpu[device].name)))
		return true;
	if (gpu[device].refused_ns != 0 &&
	    now - gpu[device].refused_ns < AGAIN_NS)
		return false;
	gpu[device].refused_ns = 0;
	if (bind_name(device) == 0) {
		gpu[device].named = true;
	} else if (errno == EADDRINUSE) {
		gpu[device].refused_ns = now;
		return false;
	}
	/* Where abstract names cannot be bound, there is no lock. */
	return true;
}

bool
gpu_lock_take(uint32_t device)
{
	bool ours;

	if (device >= DEVICES)
		return true;
	pthread_mutex_lock(&lock);
	if ((ours = take(device)))
		gpu[device].users++;
	pthread_mutex_unlock(&lock);
	return ours;
}

void
gpu_lock_release(uint32_t device)
{

	if (device >= DEVICES)
		return;
	pthread_mutex_lock(&lock);
	if (gpu[device].users > 0 && --gpu[device].users == 0) {
		fd_drop(&gpu[device].name);
		gpu[device].named = false;
	}
	pthread_mutex_unlock(&lock);
}

void
gpu_lock_fork_child(void)
{
	unsigned i;

	/* So that the child's own children do not close these numbers either. */
	for (i = 0; i < DEVICES; i++)
		fd_drop(&gpu[i].name);
}
