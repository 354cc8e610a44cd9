"""Checks the built documentation: every page can be reached from the landing page, and no reference leads to none.

`.ci/docs` calls it with the folder of the site.
"""
import glob
import json
import os
import sys

data = os.path.join(sys.argv[1], "data")


def references(value):
    """The addresses of everything that a page refers to."""
    if isinstance(value, dict):
        if isinstance(value.get("url"), str):
            yield value["url"]
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from references(part)


pages = {path[len(data):-len(".json")] for path in glob.glob(data + "/**/*.json", recursive=True)}
# The page that merging makes up has no content of ours.
pages.discard("/documentation")
reached, dead, waiting = set(), {}, [("/documentation/docs", "")]
while waiting:
    address, source = waiting.pop()
    page = address.lower().split("#")[0].rstrip("/")
    if page in reached or not page.startswith(("/documentation/", "/tutorials/")):
        continue
    if page in pages:
        reached.add(page)
        with open(data + page + ".json") as file:
            waiting += [(found, page) for found in references(json.load(file)["references"])]
    elif not page.startswith("/tutorials/"):
        # Chapters of tutorials have an address, but no page.
        dead[page] = source

for page in sorted(pages - reached):
    print("error: nothing leads to", page, file=sys.stderr)
for page, source in sorted(dead.items()):
    print("error:", source, "leads to", page, "which is not there", file=sys.stderr)
sys.exit(bool(dead or pages - reached))
