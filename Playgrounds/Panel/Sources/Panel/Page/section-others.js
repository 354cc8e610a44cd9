// Kinds that this page does not know, and places that cannot be inspected. Both appear only if there are any.

import { files } from "./section-files.js"
import { resourceItems } from "./section-parts.js"

const known = new Set(["file", "suite", "log", "lock", "database", "tweak", "container", "session", "presence",
  "graph"])
const unknownKinds = store => [...store.kinds.keys()].filter(kind => !known.has(kind) && store.of(kind).size)

export const others = { ...files, id: "others", name: "Other", kinds: [], parts: ["all"], isOptional: true,
  items: store => resourceItems(store, unknownKinds(store)),
  count: store => unknownKinds(store).reduce((sum, kind) => sum + store.of(kind).size, 0),
  alerts: () => 0,
  empty: ["Nothing else", "A newer panel may send kinds that this page does not know. They appear here."] }

const items = new WeakMap()

function itemFor(problem) {
  let item = items.get(problem)
  if (!item) items.set(problem, item = { key: `problem/${problem.id}`, problem })
  return item
}

export const problems = {
  id: "problems", name: "Problems", kinds: [], parts: ["problems"], isOptional: true,
  columns: [{ label: "Path", width: "minmax(8rem, 1fr)" }, { label: "Operation", width: "minmax(0, 1fr)" },
    { label: "Cause", width: "minmax(0, 1.2fr)" }, { label: "Remedy", width: "minmax(0, 1.4fr)" }],
  items: store => store.problems.map(itemFor),
  count: store => store.problems.length,
  alerts: store => store.problems.length,
  subject: ({ problem }) => ({ kind: "problem", key: problem.path,
    text: `${problem.path} ${problem.message} ${problem.cause}` }),
  cells: ({ problem }) => [problem.path, problem.operation, { text: problem.cause, tone: "error" }, problem.remedy],
  card: ({ problem }) => [problem.path, "", { text: problem.cause, tone: "error" }],
  open: item => ({ open: item.key }),
  empty: ["No problem", "A place that cannot be inspected is listed here with the cause and the remedy."],
}
