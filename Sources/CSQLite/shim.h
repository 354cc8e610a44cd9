// The system's SQLite, where there is no module of it: on Debian and its kin, `apt-get install libsqlite3-dev`.
#include <sqlite3.h>
