// The locks that are held now.

import { counted, time } from "./format.js"
import { nameOf, openResource, resourceItems, subjectOf } from "./section-parts.js"

export const holderText = holder => holder ? `${holder.name ?? holder.process ?? "a process"} (${holder.pid})` : ""

function holders(lock) {
  const all = lock.lock?.holders ?? []
  if (!all.length) return { text: "—", tone: "muted", label: "unknown" }
  const isStopped = all.some(holder => holder.stopped)
  return { text: all.map(holderText).join(", ") + (isStopped ? " is stopped" : ""), tone: isStopped ? "error" : null }
}

function waiters(lock) {
  const all = lock.lock?.waiters ?? []
  return all.length ? { text: all.map(holderText).join(", "), tone: "warning" } : { text: "none", tone: "muted" }
}

export const locks = {
  id: "locks", name: "Locks", kinds: ["lock"], parts: ["lock"],
  columns: [{ label: "Lock", width: "minmax(8rem, 1.4fr)" }, { label: "Purpose", from: 640, width: "minmax(0, 1.2fr)" },
    { label: "Mode", from: 560, width: "4.4rem" }, { label: "Holder", width: "minmax(0, 1fr)" },
    { label: "Since", width: "4.8rem", align: "figures" },
    { label: "Waiting", width: "minmax(0, 1fr)" }],
  items: store => resourceItems(store, ["lock"]),
  count: store => store.of("lock").size,
  alerts: store => [...store.of("lock")
    .values()].filter(lock => lock.lock?.holders?.some(holder => holder.stopped)).length,
  subject: ({ resource }) => subjectOf(resource, resource.lock?.purpose),
  cells: ({ resource }) => [nameOf(resource), { text: resource.lock?.purpose ?? "", tone: "muted" },
    resource.lock?.mode ?? "",
    holders(resource), { text: time(resource.lock?.since), tone: "muted" }, waiters(resource)],
  card: ({ resource }) => {
    const waiting = resource.lock?.waiters?.length
    const text = `${holders(resource).text}${waiting ? `, ${counted(waiting, "process waits", "processes wait")}` : ""}`
    return [nameOf(resource), resource.lock?.mode ?? "", { text, tone: holders(resource).tone }]
  },
  open: openResource,
  empty: ["No lock is held",
    "A writer holds a lock for some milliseconds. A lock that stays here shows which process is in the way."],
}
