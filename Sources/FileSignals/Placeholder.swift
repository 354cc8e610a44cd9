// The durable file, the watcher and the lock arrive next.
