// What Linux has to wait for descriptors, which Swift's own module of the C library leaves out.
#include <sys/epoll.h>
