/*
 * source/confine.c: see confine.h. Landlock (Linux 5.13 and later) for files, a
 * seccomp filter for the rest.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "source/confine.h"

/* --- files ------------------------------------------------------------------- */

/* Every access that changes a file system, as of Landlock's first version.
 * Reading and executing stay allowed. */
#define FS_CHANGES (LANDLOCK_ACCESS_FS_WRITE_FILE |			\
	LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | \
	LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |	\
	LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |	\
	LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |	\
	LANDLOCK_ACCESS_FS_MAKE_SYM)
/* Of later versions, which the build host's headers may lack. */
#define FS_REFER (1ull << 13)		/* 2 */
#define FS_TRUNCATE (1ull << 14)	/* 3 */
#define NET_TCP (1ull << 0 | 1ull << 1)	/* 4: bind, connect */
#define SCOPE_ALL (1ull << 0 | 1ull << 1)	/* 6: abstract sockets, signals */

struct ruleset {			/* struct landlock_ruleset_attr, as of 6 */
	uint64_t fs, net, scoped;
};

static void
allow(int ruleset, const char *path, uint64_t access)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = access };

	rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return;
	syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH,
	    &rule, 0);
	close(rule.parent_fd);
}

static void
confine_files(const char *writable)
{
	struct ruleset r = { .fs = FS_CHANGES };
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
	    LANDLOCK_CREATE_RULESET_VERSION);
	uint64_t write = LANDLOCK_ACCESS_FS_WRITE_FILE;
	int fd;

	if (version < 1)
		return;
	if (version >= 2)
		r.fs |= FS_REFER;
	if (version >= 3) {
		r.fs |= FS_TRUNCATE;
		write |= FS_TRUNCATE;
	}
	if (version >= 4)
		r.net = NET_TCP;
	if (version >= 6)
		r.scoped = SCOPE_ALL;
	fd = (int)syscall(SYS_landlock_create_ruleset, &r, version >= 6 ?
	    sizeof(r) : version >= 4 ? offsetof(struct ruleset, scoped) :
	    offsetof(struct ruleset, net), 0);
	if (fd < 0)
		return;
	allow(fd, "/dev/null", write);
	if (writable != NULL)
		allow(fd, writable, write);
	syscall(SYS_landlock_restrict_self, fd, 0);
	close(fd);
}

/* --- the rest ------------------------------------------------------------------ */

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif
#define X32 0x40000000u		/* the x32 ABI numbers system calls
				 * differently */

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS,			\
	offsetof(struct seccomp_data, field))
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define REFUSE ANSWER(SECCOMP_RET_ERRNO | EPERM)
#define IF(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), yes, no)
/* The low half of an argument comes first on both supported machines. */
#define ARGUMENT(n) LOAD(args[n])

#define NEVER(name) IF(SYS_##name, 0, 1), REFUSE
/* Signals to itself only: abort() needs one. */
#define TO_SELF(name)							\
	IF(SYS_##name, 0, 4), ARGUMENT(0), IF(self, 1, 0), REFUSE,	\
	ANSWER(SECCOMP_RET_ALLOW)

static void
confine_calls(void)
{
#ifdef ARCH
	uint32_t self = (uint32_t)getpid();
	struct sock_filter filter[] = {
		LOAD(arch), IF(ARCH, 1, 0), REFUSE,
		LOAD(nr),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32, 0, 1), REFUSE,
		NEVER(socket), NEVER(socketpair), NEVER(connect), NEVER(bind),
		NEVER(ptrace), NEVER(process_vm_readv),
		NEVER(process_vm_writev), NEVER(pidfd_open),
		NEVER(pidfd_send_signal), NEVER(rt_sigqueueinfo),
		NEVER(rt_tgsigqueueinfo),
		/* A process that leaves the group would not be killed with
		 * it. */
		NEVER(setsid), NEVER(setpgid),
		NEVER(unshare), NEVER(setns), NEVER(mount), NEVER(umount2),
		NEVER(bpf), NEVER(perf_event_open), NEVER(userfaultfd),
		NEVER(io_uring_setup), NEVER(add_key), NEVER(request_key),
		NEVER(keyctl), NEVER(open_by_handle_at),
		TO_SELF(kill), TO_SELF(tkill), TO_SELF(tgkill),
		/* Would type into the terminal of whoever started the
		 * daemon. */
		IF(SYS_ioctl, 0, 3), ARGUMENT(1), IF(TIOCSTI, 0, 1), REFUSE,
		ANSWER(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(filter[0]), .filter = filter,
	};

	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#endif
}

void
confine(const char *writable)
{

	confine_files(writable);
	confine_calls();
}
