// The system's SQLite under one name, on all platforms.
// On Debian, install it with `apt-get install libsqlite3-dev`.
#include <sqlite3.h>
