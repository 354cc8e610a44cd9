// Shared files and suites.

import { number, size } from "./format.js"
import { changedCell, isFaulty, nameOf, openResource, rateCell, resourceItems, statusCell, subjectOf, valueCell }
  from "./section-parts.js"

const shared = {
  columns: [{ label: "Name", width: "minmax(7rem, 1fr)" }, { label: "Status", width: "6rem" },
    { label: "Value", width: "minmax(0, 1.8fr)", align: "code" },
    { label: "Size", from: 560, width: "5.4rem", align: "end" },
    { label: "Rate", from: 760, width: "4rem", align: "end" },
    { label: "Changed", width: "6.4rem", align: "figures end" }],
  items(store) { return resourceItems(store, this.kinds) },
  count(store) { return this.kinds.reduce((sum, kind) => sum + store.of(kind).size, 0) },
  alerts(store) { return this.kinds.flatMap(kind => [...store.of(kind).values()]).filter(isFaulty).length },
  subject: item => subjectOf(item.resource),
  cells: ({ resource }) => [nameOf(resource), statusCell(resource), valueCell(resource),
    { text: size(resource.size), tone: "muted" },
    rateCell(resource), changedCell(resource)],
  card: ({ resource }) => [nameOf(resource), statusOrTime(resource), valueCell(resource)],
  open: openResource,
}

function statusOrTime(resource) {
  return isFaulty(resource) ? statusCell(resource) : changedCell(resource)
}

export const files = { ...shared, id: "files", name: "Files", kinds: ["file"], parts: ["file"],
  empty: ["No shared file",
    "A value that an app shares appears here: AppGroupsFile(\"settings\", in: container, default: …)."] }

export const suites = { ...shared, id: "suites", name: "Suites", kinds: ["suite"], parts: ["suite"],
  columns: [shared.columns[0], { label: "Keys", width: "4rem", align: "end" }, ...shared.columns.slice(1)],
  cells: item => {
    const [name, ...rest] = shared.cells(item)
    return [name, number(item.resource.suite?.keys?.length), ...rest]
  },
  empty: ["No suite", "Many values in one file appear here: AppGroupsSuite(\"defaults\", in: container)."] }
