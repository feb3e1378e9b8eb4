#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/peer.h"

#define END_TEXT 38	/* 32 digits of an address, ':', 4 of the port, NUL */

/* One end as /proc/net prints it: the 32-bit words of the address in memory order. */
static int
end_text(const struct sockaddr_storage *a, char out[END_TEXT])
{
	const struct sockaddr_in *v4 = (const void *)a;
	const struct sockaddr_in6 *v6 = (const void *)a;
	uint32_t w[4];

	if (a->ss_family == AF_INET) {
		snprintf(out, END_TEXT, "%08X:%04X", v4->sin_addr.s_addr,
		    ntohs(v4->sin_port));
		return 0;
	}
	if (a->ss_family != AF_INET6)
		return -1;
	memcpy(w, &v6->sin6_addr, sizeof(w));
	snprintf(out, END_TEXT, "%08X%08X%08X%08X:%04X", w[0], w[1], w[2],
	    w[3], ntohs(v6->sin6_port));
	return 0;
}

/* Finds the user in the row of ${path} that has the local end ${from} and the remote
 * end ${to}. 0; -1 if there is none. */
static int
look_up(const char *path, const char *from, const char *to, uid_t *uid)
{
	char line[512], local[END_TEXT], remote[END_TEXT];
	FILE *f = fopen(path, "re");
	unsigned long found;
	int result = -1;

	if (f == NULL)
		return -1;
	while (result < 0 && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "%*s %37s %37s %*s %*s %*s %*s %lu", local,
		    remote, &found) == 3 && strcmp(local, from) == 0 &&
		    strcmp(remote, to) == 0) {
			*uid = (uid_t)found;
			result = 0;
		}
	fclose(f);
	return result;
}

int
peer_uid(int fd, uid_t *uid)
{
	struct sockaddr_storage ours, theirs;
	socklen_t n = sizeof(ours), m = sizeof(theirs);
	char from[END_TEXT], to[END_TEXT];

	if (getsockname(fd, (struct sockaddr *)&ours, &n) != 0 ||
	    getpeername(fd, (struct sockaddr *)&theirs, &m) != 0 ||
	    end_text(&theirs, from) != 0 || end_text(&ours, to) != 0)
		return -1;
	return look_up(ours.ss_family == AF_INET ? "/proc/net/tcp" :
	    "/proc/net/tcp6", from, to, uid);
}

bool
peer_is_us(int fd)
{
	uid_t uid;

	return peer_uid(fd, &uid) == 0 && (uid == geteuid() || uid == 0);
}
