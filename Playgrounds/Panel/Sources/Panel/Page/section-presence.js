// Processes, and the members of each presence.

import { brief, moment, number } from "./format.js"
import { itemOf, nameOf, subjectOf } from "./section-parts.js"

const parts = new WeakMap()
const known = new WeakMap()

function rowsOf(presence) {
  let rows = parts.get(presence)
  if (!rows) {
    const members = presence.presence?.members ?? []
    rows = [itemOf(presence),
      ...members.map(member => ({ key: `${presence.id} ${member.id}`, resource: presence, member, isPart: true }))]
    parts.set(presence, rows)
  }
  return rows
}

function processItem(process) {
  let item = known.get(process)
  if (!item) known.set(process, item = { key: `process/${process.id}`, process })
  return item
}

export function processState(process) {
  if (process.stopped) return { text: "stopped", tone: "error" }
  if (process.suspended) return { text: "suspended", tone: "warning" }
  return { text: "running", tone: "good" }
}

export const presence = {
  id: "presence", name: "Presence", kinds: ["presence"], parts: ["presence", "processes"],
  columns: [{ label: "Process, presence", width: "minmax(8rem, 1.1fr)" }, { label: "PID", width: "7rem", align: "end" },
    { label: "State", width: "6rem" }, { label: "Locks held", from: 720, width: "5.6rem", align: "end" },
    { label: "Since", from: 600, width: "minmax(0, 1fr)" },
    { label: "Value", width: "minmax(0, 1.4fr)", align: "code" }],
  items: store => [...store.processes.map(processItem),
    ...store.sorted("presence").flatMap(rowsOf)],
  count: store => store.processes.length,
  alerts: store => store.processes.filter(process => process.stopped).length,
  subject: ({ resource, member, process }) => process
    ? { kind: "process", proc: `${process.id} ${process.name}`, text: `${process.name} ${process.pid}`,
      at: process.since }
    : member ? { kind: "presence", proc: `${member.process} ${member.name}`, key: resource.id,
      text: `${member.name} ${brief(member.value)}` }
      : subjectOf(resource),
  cells({ resource, member, process }) {
    if (process) return [process.name, String(process.pid), processState(process), number(process.holds ?? 0),
      { text: moment(process.since), tone: "muted" },
      { text: process.publishes ? "publishes its graph" : "", tone: "muted" }]
    if (!member) return [`Presence ${nameOf(resource)}`, "",
      { text: `${resource.presence?.members?.length ?? 0} present`, tone: "muted" }, "", "", ""]
    return [member.name, String(member.pid), processState(member), "", { text: moment(member.since), tone: "muted" },
      brief(member.value)]
  },
  card({ resource, member, process }) {
    if (process) return [process.name, processState(process),
      `process ${process.pid}, ${number(process.holds ?? 0)} locks`]
    if (!member) return [`Presence ${nameOf(resource)}`, "", `${resource.presence?.members?.length ?? 0} present`]
    return [member.name, processState(member), brief(member.value) || `process ${member.pid}`]
  },
  open: ({ resource, process }) => ({ open: process ? `process/${process.id}` : resource.id }),
  empty: ["No process",
    "A process that uses this directory appears here, with the locks that it holds and the value that it announces."],
}
