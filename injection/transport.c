#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "wire/frame.h"

#include "aside.h"
#include "diag.h"
#include "emit.h"
#include "fd.h"
#include "inject.h"
#include "transport.h"

#define MEMORY_MAX (16u << 20)	/* bytes of frames kept to be sent again */
#define RETRY_NS 500000000ull	/* between attempts to connect */
#define ACK_MAX 256		/* bytes: a frame with one ACK is 64 */

static struct {
	struct fd_kept socket, spool;
	bool connected;		/* the socket is connected */
	bool spool_failed;
	struct emit_frame *hello;	/* sent first on every connection */
	size_t hello_left;		/* bytes of ${hello} still to send */
	struct emit_frame *head, **tail;	/* frames not acknowledged */
	struct emit_frame *next;	/* the first frame not completely sent */
	size_t offset;		/* bytes of ${next} that were sent */
	size_t bytes;		/* bytes in the list */
	uint64_t retry_ns;	/* do not try to connect before */
	uint8_t ack[ACK_MAX];
	size_t ack_len;
} tx = { .tail = &tx.head };

static uint64_t
mono_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

static void
disconnect(void)
{

	fd_drop(&tx.socket);
	tx.connected = false;
	tx.ack_len = 0;
	tx.retry_ns = mono_now() + RETRY_NS;
}

/* Makes the socket, once for all attempts to connect: for an instant a new one has a
 * low number, which the program may expect its own next file to get. */
static int
make_socket(void)
{

	return fd_ours(&tx.socket) ? 0 : fd_keep(&tx.socket, socket(AF_UNIX,
	    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

static void
try_connect(void)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	int size = 4 << 20;

	if (tx.connected || inject.socket[0] == '\0' || tx.hello == NULL ||
	    strlen(inject.socket) >= sizeof(sa.sun_path) ||
	    mono_now() < tx.retry_ns)
		return;
	memcpy(sa.sun_path, inject.socket, strlen(inject.socket) + 1);
	if (make_socket() != 0 || connect(tx.socket.fd, (struct sockaddr *)&sa,
	    sizeof(sa)) != 0) {
		tx.retry_ns = mono_now() + RETRY_NS;
		return;
	}
	tx.connected = true;
	setsockopt(tx.socket.fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	tx.hello_left = tx.hello->size;
	tx.next = tx.head;
	tx.offset = 0;
}

/* Whether the socket is connected. It is not if the program closed it, and perhaps
 * reused its number. */
static bool
connected(void)
{

	if (tx.connected && !fd_ours(&tx.socket))
		disconnect();
	return tx.connected;
}

static void
frame_drop_head(void)
{
	struct emit_frame *f = tx.head;

	if (tx.next == f) {
		tx.next = f->next;
		tx.offset = 0;
	}
	tx.head = f->next;
	if (tx.head == NULL)
		tx.tail = &tx.head;
	tx.bytes -= f->size;
	emit_release(f);
}

/* From now on records that memory cannot hold are lost. */
static void
spool_fail(void)
{

	tx.spool_failed = true;
	diag_report(DIAG_CALL_FAILED, SEVERITY_ERROR, (uint32_t)errno,
	    "spool file", "the spool file cannot be written (disk full?): "
	    "records are lost from here on");
}

/* 0; -1 with errno set: only a part was written, or nothing. EBADF if the program
 * closed the file. */
static int
spool_write(const uint8_t *p, size_t size)
{
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		if (!fd_ours(&tx.spool)) {
			errno = EBADF;
			return -1;
		}
		n = write(tx.spool.fd, p + done, size - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		done += (size_t)n;
	}
	return 0;
}

static void
spool_open(void)
{
	char path[PATH_MAX + 64];
	int fd;

	if (inject.spool[0] == '\0') {
		tx.spool_failed = true;
		return;
	}
	snprintf(path, sizeof(path), "%s/%s.%016llx.spool", inject.spool,
	    inject.run, (unsigned long long)inject.stream);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	/* HELLO is written first, so that the file can be read by itself. */
	if (fd_keep(&tx.spool, fd) != 0 || (tx.hello != NULL &&
	    spool_write(tx.hello->data, tx.hello->size) != 0)) {
		spool_fail();
		return;
	}
	if (inject.socket[0] != '\0')
		diag_report(DIAG_SPOOLED, SEVERITY_INFO, 0, "spool",
		    "the daemon did not take everything at once; the rest "
		    "went through a spool file and is in the run");
}

/* A frame that was cut is written again: readers take the second copy. 0; -1 with errno
 * set. */
static int
spool_frame(const struct emit_frame *f)
{
	int tries;

	for (tries = 0; tries < 2; tries++) {
		if (!fd_ours(&tx.spool))
			spool_open();
		if (tx.spool_failed || spool_write(f->data, f->size) == 0)
			return 0;
		if (errno != EBADF)
			break;
	}
	return -1;
}

/* Writes the oldest frame to the spool file; if that fails, its records are
 * counted as lost. */
static void
spool_head(void)
{
	struct emit_frame *f = tx.head;

	/* A frame that was partly sent would be received twice: closing the connection
	 * makes the daemon drop that part. */
	if (tx.next == f && tx.offset > 0)
		disconnect();
	if (!tx.spool_failed && spool_frame(f) != 0)
		spool_fail();
	if (tx.spool_failed)
		emit_lost(LOSS_SPOOL, f->end - f->first);
	frame_drop_head();
}

static void
send_hello(void)
{
	ssize_t n;

	while (connected() && tx.hello_left > 0) {
		n = send(tx.socket.fd, tx.hello->data + tx.hello->size -
		    tx.hello_left, tx.hello_left, MSG_NOSIGNAL);
		if (n > 0)
			tx.hello_left -= (size_t)n;
		else if (n < 0 && errno == EINTR)
			continue;
		else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		else
			disconnect();
	}
}

static void
send_frames(void)
{
	ssize_t n;

	send_hello();
	while (connected() && tx.hello_left == 0 && tx.next != NULL) {
		n = send(tx.socket.fd, tx.next->data + tx.offset,
		    tx.next->size - tx.offset, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (n <= 0) {
			disconnect();
			return;
		}
		tx.offset += (size_t)n;
		if (tx.offset == tx.next->size) {
			tx.next = tx.next->next;
			tx.offset = 0;
		}
	}
}

/* Frees the frames that the daemon has written to the capture. */
static void
handle_ack(const uint8_t *payload, size_t len)
{
	struct record r;
	size_t pos = 0;

	while (record_next(payload, len, &pos, &r) == 1)
		if (r.type == RECORD_ACK)
			while (tx.head != NULL && tx.head != tx.next &&
			    tx.head->end <= r.u.ACK.sequence)
				frame_drop_head();
}

static void
read_acks(void)
{
	struct frame_header h;
	enum frame_status s;
	size_t used;
	ssize_t n;

	while (connected()) {
		n = recv(tx.socket.fd, tx.ack + tx.ack_len, ACK_MAX - tx.ack_len,
		    MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (n <= 0) {
			disconnect();
			return;
		}
		tx.ack_len += (size_t)n;
		while ((s = frame_check(tx.ack, tx.ack_len, &h)) == FRAME_OK) {
			used = FRAME_HEADER_SIZE + h.stored;
			if (h.stream == 0)
				handle_ack(tx.ack + FRAME_HEADER_SIZE,
				    h.stored);
			memmove(tx.ack, tx.ack + used, tx.ack_len - used);
			tx.ack_len -= used;
		}
		if (s != FRAME_SHORT || tx.ack_len == ACK_MAX)
			disconnect();
	}
}

void
transport_add(struct emit_frame *f)
{
	struct emit_frame *next;

	for (; f != NULL; f = next) {
		next = f->next;
		f->next = NULL;
		if (tx.hello == NULL && f->first == 0) {
			tx.hello = f;
			continue;
		}
		*tx.tail = f;
		tx.tail = &f->next;
		tx.bytes += f->size;
		if (tx.next == NULL && tx.connected)
			tx.next = f;
	}
}

static void
begin(void *cookie)
{

	(void)cookie;
	transport_add(emit_take(0));
	if (inject.socket[0] != '\0')
		make_socket();
	else
		spool_open();
}

void
transport_begin(void)
{

	aside_do(begin, NULL);
}

static void
pump(void *cookie)
{

	(void)cookie;
	try_connect();
	send_frames();
	read_acks();
	/* Without a daemon nothing is kept in memory. */
	while (tx.head != NULL && (tx.bytes > MEMORY_MAX ||
	    inject.socket[0] == '\0'))
		spool_head();
}

void
transport_pump(void)
{

	aside_do(pump, NULL);
}

static void
wait_for(void *ms)
{
	struct pollfd p = { .fd = tx.socket.fd, .events = POLLIN };

	if (tx.hello_left > 0 || tx.next != NULL)
		p.events |= POLLOUT;
	poll(&p, tx.connected, *(int *)ms);
}

void
transport_wait(int ms)
{

	aside_do(wait_for, &ms);
}

static void
finish(void *wait_ms)
{
	uint64_t deadline = mono_now() + (uint64_t)*(int *)wait_ms * 1000000ull;
	int ms = 20;

	pump(NULL);
	while (connected() && tx.head != NULL && mono_now() < deadline) {
		wait_for(&ms);
		send_frames();
		read_acks();
	}
	while (tx.head != NULL)
		spool_head();
	disconnect();
	fd_drop(&tx.spool);
}

void
transport_finish(int wait_ms)
{

	aside_do(finish, &wait_ms);
}

bool
transport_waits(void)
{

	return tx.connected && (tx.hello_left > 0 || tx.next != NULL);
}

void
transport_fork_child(void)
{

	disconnect();
	fd_drop(&tx.spool);
	inject.socket[0] = '\0';
}
