"""What peers of earlier commits do not have or do differently, with the reason."""

# Commands that the peers do not have, which the driver checks. A place that needs one of them does the rest.
LATER = "it was added with the check of failing system calls"
MISSING = {
    "remote-read": "it was added with the check of power failures, so today's peer reads what the earlier one has cached",
    "inspect-title": LATER + ", so today's peer inspects the app of the earlier one",
    "store-backup": LATER + ", so today's peer copies, and both use the copy",
    "store-value": LATER + "; SQLite itself reads the value",
    "consume": LATER + "; `follow-into` does the same",
    "cache-put": "it was added with the limits of caches, so that caches are shared with the commit `same` only",
    "context-accounts": "it was added with the claims of each user; see `renewal-locks`",
}
WITHOUT = {
    "same": [],
    "other": list(MISSING),
}

# What a commit promises differently from today's pages.
DIFFERENT = {
    "other": {
        "renewal-locks": "one lock for the renewals of all users, so that renewals of both versions only take turns",
        "journals": "suites without journals, so that it replaces a file without the changes in its journal, and today's "
        "reports these; both versions can change a suite in turn, after today's has called `synchronize()`",
        "renewal-record": "a renewal replaces the record without reading it, so that it does not refuse a later one",
    },
}
