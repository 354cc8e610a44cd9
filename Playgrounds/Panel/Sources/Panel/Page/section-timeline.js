// The timeline: every write of every process.

import { brief, number, shortName, time } from "./format.js"
import { newOf, oldOf } from "./difference.js"

const symbols = { insert: "+", append: "+", delete: "-", update: "~" }
export const tones = { "+": "good", "-": "error", "~": "warning" }

/** The summary of a change: the text of the server, or the first difference. */
export function summaryOf(row) {
  if (row.summary) return row.summary
  const [first, ...rest] = row.diff ?? []
  if (!first) return row.op ?? ""
  const [old, recent] = [oldOf(first), newOf(first)]
  const step = old === undefined ? brief(recent, 60) : recent === undefined ? `removed ${brief(old, 60)}`
    : `${brief(old, 60)} → ${brief(recent, 60)}`
  return `${first[1] || "value"}: ${step}${rest.length ? `, and ${rest.length} more` : ""}`
}

export const processOf = row => row.proc ?? row.author ?? "unknown"
export const symbolOf = row => symbols[row.op] ?? "~"

function times(row) {
  return row.n > 1 ? { text: `×${number(row.n)}`, tone: "muted", label: `${number(row.n)} times` } : ""
}

export const timeline = {
  id: "timeline", name: "Timeline", kinds: [], parts: ["timeline"], isLive: true, opener: 2,
  columns: [{ label: "Time", width: "4.6rem", align: "figures" }, { label: "Process", width: "minmax(0, 7rem)" },
    { label: "Resource", width: "minmax(0, 1fr)" }, { label: "Count", from: 560, width: "3.4rem", align: "end" },
    { label: "Δ", width: "1.4rem", align: "centre" }, { label: "Change", width: "minmax(0, 1.6fr)", align: "code" }],
  items: store => store.timeline.rows,
  revision: row => row.revision,
  subject: row => ({ kind: row.kind, proc: `${row.proc ?? ""} ${row.author ?? ""}`, op: row.op, at: row.at,
    key: `${row.r ?? ""} ${row.diff?.map(change => change[1]).join(" ") ?? ""}`,
    text: `${row.r ?? ""} ${summaryOf(row)}` }),
  tone: row => row.isNote ? "note" : null,
  cells(row) {
    if (row.isNote) return [time(row.at), "", "", "", "", row.summary]
    const symbol = symbolOf(row)
    return [time(row.at), processOf(row), shortName(row.r), times(row),
      { text: symbol, tone: tones[symbol], label: row.op }, summaryOf(row)]
  },
  card(row) {
    if (row.isNote) return [row.summary, time(row.at), ""]
    const count = row.n > 1 ? ` ×${number(row.n)}` : ""
    const symbol = symbolOf(row)
    return [{ text: `${shortName(row.r)} ${symbol}${count}` }, time(row.at), `${processOf(row)} · ${summaryOf(row)}`]
  },
  open: row => row.isNote ? null : { open: row.r, row: row.key },
  empty: ["No change yet", "Each write of a process appears here at once: a value, an event, a transaction, a flag."],
}
