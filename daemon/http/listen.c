#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"

#include "http/listen.h"

#define BACKLOG 256	/* further connections to the unix socket are refused */
#define PORT_TRIES 16	/* a free IPv4 port may be taken on IPv6 */
#define SOCKET_FLAGS (SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK)

/* Whether a process accepts connections at ${addr}. */
static bool
answers(const struct sockaddr_un *addr)
{
	int fd = socket(AF_UNIX, SOCKET_FLAGS, 0);
	bool yes;

	if (fd < 0)
		return false;
	yes = connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) == 0 ||
	    errno == EAGAIN;
	close(fd);
	return yes;
}

int
listen_unix(const char *path, struct error *e)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct stat st;
	int fd;

	if (strlen(path) >= sizeof(addr.sun_path)) {
		error_set(e, "the socket path '%s' is longer than %zu bytes",
		    path, sizeof(addr.sun_path) - 1);
		return error_remedy(e, "set CUDADVISE_RUNTIME_DIR to a "
		    "shorter directory");
	}
	memcpy(addr.sun_path, path, strlen(path) + 1);
	if (lstat(path, &st) == 0) {
		if (!S_ISSOCK(st.st_mode))
			return error_set(e, "'%s' exists and is not a "
			    "socket", path);
		if (answers(&addr))
			return error_set(e, "a daemon listens on '%s' already",
			    path);
		unlink(path);
	}
	fd = socket(AF_UNIX, SOCKET_FLAGS, 0);
	if (fd < 0)
		return error_set(e, "cannot make a unix socket:");
	/* The file gets the socket's mode. */
	if (fchmod(fd, 0600) != 0 ||
	    bind(fd, (struct sockaddr *)&addr, sizeof(addr)) != 0 ||
	    listen(fd, BACKLOG) != 0) {
		error_set(e, "cannot listen on '%s':", path);
		close(fd);
		return -1;
	}
	return fd;
}

static int
listen_inet(const struct sockaddr *addr, socklen_t len)
{
	int fd = socket(addr->sa_family, SOCKET_FLAGS, 0), one = 1, saved;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (addr->sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (bind(fd, addr, len) != 0 || listen(fd, BACKLOG) != 0) {
		saved = errno;
		close(fd);
		errno = saved;
		return -1;
	}
	return fd;
}

/* Tries one port. Returns it; -1: errno is EADDRINUSE if another port may work. */
static int
listen_pair(int port, int fd[2])
{
	struct sockaddr_in v4 = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons((uint16_t)port),
	};
	struct sockaddr_in6 v6 = {
		.sin6_family = AF_INET6,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT,
	};
	socklen_t len = sizeof(v4);

	fd[1] = -1;
	fd[0] = listen_inet((struct sockaddr *)&v4, sizeof(v4));
	if (fd[0] < 0)
		return -1;
	if (getsockname(fd[0], (struct sockaddr *)&v4, &len) != 0)
		goto err;
	v6.sin6_port = v4.sin_port;
	fd[1] = listen_inet((struct sockaddr *)&v6, sizeof(v6));
	if (fd[1] < 0 && errno == EADDRINUSE)
		goto err;	/* "localhost" could reach the other server */
	return ntohs(v4.sin_port);
err:
	close(fd[0]);
	fd[0] = -1;
	errno = EADDRINUSE;
	return -1;
}

int
listen_loopback(int port, int fd[2], struct error *e)
{
	int i, got;

	if (port < 0 || port > 65535)
		return error_set(e, "%d is not a port number", port);
	for (i = 0; i < PORT_TRIES; i++) {
		got = listen_pair(port, fd);
		if (got > 0)
			return got;
		if (port != 0 || errno != EADDRINUSE)
			break;
	}
	error_set(e, "cannot listen on 127.0.0.1 port %d:", port);
	return error_remedy(e, "choose another port, or 0 for a free one");
}

bool
listen_peer_is_us(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
	    peer.uid == geteuid();
}
