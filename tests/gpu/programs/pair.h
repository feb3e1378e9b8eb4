/*
 * pair.h: for a program that starts itself as a child, with a socket between
 * the two. The child is started before CUDA is used, by fork and exec.
 */
#ifndef PAIR_H
#define PAIR_H

#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* The child's arguments are ${as} and the number of its socket. */
static inline pid_t
pair_start(const char *as, int *fd)
{
	char number[16];
	int s[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, s) || (pid = fork()) < 0) {
		perror("fork");
		exit(1);
	}
	if (pid == 0) {
		close(s[0]);
		snprintf(number, sizeof(number), "%d", s[1]);
		execl("/proc/self/exe", as, as, number, (char *)NULL);
		perror("exec");
		_exit(127);
	}
	close(s[1]);
	*fd = s[0];
	return pid;
}

/* The child's exit status; 256 + the signal if a signal ended it. */
static inline int
pair_end(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) :
	    256 + WTERMSIG(status);
}

/* If the other side has closed the socket, it is an error. */
static inline void
pair_send(int fd, const void *data, size_t size)
{
	if (send(fd, data, size, MSG_NOSIGNAL) != (ssize_t)size) {
		fprintf(stderr, "the other process is gone\n");
		exit(1);
	}
}

static inline void
pair_receive(int fd, void *data, size_t size)
{
	if (recv(fd, data, size, MSG_WAITALL) != (ssize_t)size) {
		fprintf(stderr, "the other process is gone\n");
		exit(1);
	}
}

/* Sends a descriptor, and a byte. */
static inline void
pair_send_fd(int fd, int what)
{
	char byte = 1;
	alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &byte, 1 };
	struct msghdr m = {};
	struct cmsghdr *c;

	m.msg_iov = &iov;
	m.msg_iovlen = 1;
	m.msg_control = control;
	m.msg_controllen = sizeof(control);
	c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &what, sizeof(what));
	if (sendmsg(fd, &m, MSG_NOSIGNAL) != 1) {
		perror("sendmsg");
		exit(1);
	}
}

static inline int
pair_receive_fd(int fd)
{
	char byte;
	alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr m = {};
	struct cmsghdr *c;
	int what;

	m.msg_iov = &iov;
	m.msg_iovlen = 1;
	m.msg_control = control;
	m.msg_controllen = sizeof(control);
	if (recvmsg(fd, &m, 0) != 1 || !(c = CMSG_FIRSTHDR(&m)) ||
	    c->cmsg_type != SCM_RIGHTS) {
		fprintf(stderr, "no descriptor came\n");
		exit(1);
	}
	memcpy(&what, CMSG_DATA(c), sizeof(what));
	return what;
}

/* The digest of ${words} words of device memory. */
static inline uint32_t
pair_digest(const uint32_t *device, cudaStream_t stream)
{
	uint32_t *host = (uint32_t *)malloc(WORDS * sizeof(*host)), h;

	if (!host)
		abort();
	CHECK(cudaMemcpyAsync(host, device, WORDS * sizeof(*host),
	    cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	h = digest(host, WORDS);
	free(host);
	return h;
}

#endif
