"""The table of system calls: the errors that each can have, and the calls that are left out, with a reason."""
import re

# Each entry: the calls, their errors, and the errors that only some of these calls can have, by a pattern for the call.
TABLE = [
    ("open openat", "EACCES EINTR EIO EMFILE ENFILE ENOMEM",
     {r"O_CREAT": "EDQUOT ENOSPC EROFS", r"O_WRONLY|O_RDWR": "EROFS"}),
    ("read readv pread64 preadv", "EINTR", {r"^(?!\w+\(\d+<(socket|UNIX|TCP|pipe|anon_inode))": "EIO", r"<socket:": "ECONNRESET"}),
    ("write writev pwrite64 pwritev", "EINTR", {
        r"^(?!\w+\(\d+<(socket|UNIX|TCP|pipe|anon_inode))": "EDQUOT EFBIG EIO ENOSPC", r"<socket:": "ECONNRESET EPIPE"}),
    ("fsync fdatasync syncfs sync_file_range", "EDQUOT EINTR EIO ENOSPC", {}),
    ("rename renameat renameat2", "EACCES EDQUOT EIO ENOMEM ENOSPC EPERM EROFS",
     {r"RENAME_": "EINVAL"}),
    ("link linkat", "EACCES EDQUOT EIO EMLINK ENOMEM ENOSPC EPERM EROFS", {}),
    ("symlink symlinkat", "EACCES EDQUOT EIO ENOMEM ENOSPC EPERM EROFS", {}),
    ("unlink unlinkat rmdir", "EACCES EBUSY EIO ENOENT ENOMEM EPERM EROFS", {}),
    ("mkdir mkdirat", "EACCES EDQUOT EIO EMLINK ENOMEM ENOSPC EROFS", {}),
    ("stat lstat newfstatat statx", "EACCES EIO ENOMEM", {}),
    ("fstat", "EIO ENOMEM", {}),
    ("statfs fstatfs", "EACCES EINTR EIO ENOMEM", {}),
    ("access faccessat faccessat2", "EACCES EIO ENOMEM", {}),
    ("readlink readlinkat", "EACCES EIO ENOMEM", {}),
    ("getdents64", "EIO ENOMEM", {}),
    ("ftruncate truncate fallocate", "EDQUOT EFBIG EINTR EIO ENOSPC", {}),
    ("chmod fchmod fchmodat fchmodat2 chown fchown fchownat lchown utimensat", "EACCES EIO EPERM EROFS", {}),
    ("getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr", "EIO ENOTSUP", {}),
    ("setxattr lsetxattr fsetxattr", "EDQUOT EIO ENOSPC ENOTSUP EPERM", {}),
    ("copy_file_range sendfile", "EINTR EIO ENOMEM ENOSPC EXDEV EINVAL", {}),
    ("flock", "EINTR ENOLCK", {r"LOCK_NB": "EAGAIN"}),
    ("fcntl", "", {
        r"F_(OFD_)?SETLK, .*F_(RD|WR)LCK": "EAGAIN ENOLCK", r"F_(OFD_)?SETLKW": "EDEADLK EINTR ENOLCK",
        r"F_(OFD_)?GETLK": "ENOLCK", r"F_DUPFD": "EMFILE"}),
    ("ioctl", "", {r"FICLONE": "EIO ENOSPC EOPNOTSUPP EXDEV", r"FS_IOC": "EIO ENOTTY"}),
    ("mmap", "EACCES ENFILE ENODEV ENOMEM", {}),
    ("inotify_init1 epoll_create1", "EMFILE ENFILE ENOMEM", {}),
    ("inotify_add_watch", "EACCES ENOMEM ENOSPC", {}),
    ("epoll_ctl", "", {r"EPOLL_CTL_ADD": "ENOMEM ENOSPC"}),
    ("epoll_wait epoll_pwait poll ppoll", "EINTR", {}),
    ("dup dup2 dup3 pipe2 pidfd_open", "EMFILE ENFILE ENOMEM", {}),
    ("socket socketpair", "EACCES EMFILE ENFILE ENOBUFS ENOMEM", {}),
    ("connect", "EACCES EAGAIN ECONNREFUSED EINTR", {}),
    ("bind", "EACCES EADDRINUSE EIO ENOMEM EROFS", {}),
    ("listen", "EADDRINUSE", {}),
    ("accept accept4", "EAGAIN ECONNABORTED EINTR EMFILE ENFILE ENOMEM", {}),
    ("sendto sendmsg", "ECONNRESET EINTR ENOBUFS ENOMEM EPIPE", {}),
    ("recvfrom recvmsg", "ECONNREFUSED ECONNRESET EINTR ENOMEM", {}),
]

# Calls that are not made to fail: a pattern for the whole call, and the reason.
LEFT_OUT = [
    (r"access\(\"/signals-mark-", "the marks of the trace"),
    (r"epoll_ctl\(.*\[?(timerfd|eventfd)", "libdispatch crashes if its own registration fails"),
    (r"(eventfd2|timerfd_create|timerfd_settime)\(", "libdispatch crashes if it gets no timer or no wake-up"),
    (r"(read|write)\(\d+<anon_inode:\[?(eventfd|timerfd)", "libdispatch's own wake-ups"),
    (r"openat\(.*\"/proc/\d+/stat\", O_RDONLY\|O_NONBLOCK\)", "libdispatch crashes if it cannot look at its threads"),
    (r"epoll_create1?\(.*", "only libdispatch and the waiter for descriptors, once in a process"),
    (r"(futex|clone|clone3|sched_\w+|rseq|set_robust_list|exit|exit_group|nanosleep|clock_\w+)\(",
     "threads and time, not the system's resources that an operation asks for"),
    (r"(rt_sig\w+|sigaltstack|restart_syscall|tgkill|membarrier)\(", "signals, which are no part of an operation"),
    (r"(brk|munmap|mprotect|madvise|mremap)\(", "memory of the allocator: programs in Swift end if there is none"),
    (r"mmap\(.*MAP_ANON", "memory of the allocator: programs in Swift end if there is none"),
    (r"(getpid|gettid|getuid|geteuid|getgid|getegid|getppid|getpgrp|uname|umask|getcpu|sysinfo|times)\(", "cannot fail"),
    (r"(getrusage|prctl|prlimit64|set_tid_address|arch_prctl|getpriority|setpriority|get_mempolicy)\(", "cannot fail here"),
    (r"(getsockname|getpeername|getsockopt|setsockopt|shutdown)\(", "cannot fail on an open socket but for wrong arguments"),
    (r"(lseek|fadvise64|inotify_rm_watch)\(", "fails only for wrong arguments"),
    (r"getrandom\(", "cannot fail once the system has started"),
    (r"(kill|pidfd_send_signal)\(", "fails only for a missing process or right, which are answers and no faults"),
    (r"close(_range)?\(", "the tracer skips a failing call, but Linux closes a descriptor before it reports the error"),
    (r"flock\(.*LOCK_UN", "releasing a lock cannot fail on an open file"),
    (r"fcntl\(.*F_UNLCK", "releasing a lock cannot fail on an open file"),
    (r"fcntl\(.*(F_GETFD|F_SETFD|F_GETFL|F_SETFL)", "cannot fail on an open file"),
    (r"ioctl\(.*(TCGETS|FIONREAD|FIOCLEX)", "an answer and no fault"),
    (r"\w+\(.*\"/(sys|etc)/", "the runtime's look at the machine"),
    (r".*/server\.json", "the probe's own server of sessions"),
    (r"write\(1<", "the answer of the probe"),
    (r"read\(0<", "the command of the probe"),
]

_left_out = [(re.compile(pattern), reason) for pattern, reason in LEFT_OUT]
_errors = {}
for names, errors, special in TABLE:
    for name in names.split():
        _errors[name] = (errors.split(), [(re.compile(pattern), more.split()) for pattern, more in special.items()])


def reason_to_leave_out(text):
    """Why a call does not fail here, or `None`."""
    return next((reason for pattern, reason in _left_out if pattern.match(text)), None)


def errors_of(text):
    """The errors of a call, or `None` if the table does not have it."""
    name = text.partition("(")[0]
    if name not in _errors:
        return None
    errors, special = _errors[name]
    return sorted(set(errors).union(*[more for pattern, more in special if pattern.search(text)]))
