// The epoll API of Linux, which Swift's Glibc module leaves out.
#include <sys/epoll.h>
