// The system's SQLite, for platforms without a module for it.
// On Debian, install it with `apt-get install libsqlite3-dev`.
#include <sqlite3.h>
