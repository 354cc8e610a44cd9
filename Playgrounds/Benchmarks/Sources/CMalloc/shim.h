// The counters of the allocator, which Swift's module of the C library leaves out.
#ifdef __linux__
#include <malloc.h>
#elif __APPLE__
#include <malloc/malloc.h>
#endif
