// The rows of the timeline: one for each write, or for several writes of one process to one place in a row.

import { combined } from "./difference.js"
import { counted } from "./format.js"

/** The most rows that are kept. */
export const limit = 5000

/** A bounded list of changes in the order of their sequence. */
export class Timeline {
  constructor() {
    this.rows = []
    /** The number of rows that were removed from the front, so that a view can keep its place. */
    this.trimmed = 0
    this.skipped = 0
    this.count = 0
  }

  /** Adds a change, or counts it in the last row. */
  add(change) {
    this.count += change.n ?? 1
    const last = this.rows.at(-1)
    const place = placeOf(change)
    if (last?.place === place) this.extend(last, change)
    else this.push({ ...change, place, n: change.n ?? 1, first: change.at, revision: 0 })
  }

  extend(row, change) {
    const diff = combined(row.diff, change.diff) ?? change.diff
    const n = row.n + (change.n ?? 1)
    // A row that is combined shows its first and its last value, not the last step.
    const summary = diff !== change.diff && diff?.length === 1 ? undefined : change.summary
    Object.assign(row, { seq: change.seq, v: change.v, at: change.at, more: change.more, n, diff, summary })
    row.revision += 1
  }

  /** Adds a row about changes that are missing. */
  note(summary, at, skipped = 0) {
    const last = this.rows.at(-1)
    if (last?.isNote && skipped && last.skipped) {
      last.skipped += skipped
      last.summary = skippedText(last.skipped)
      last.revision += 1
    } else {
      this.push({ isNote: true, at, summary: skipped ? skippedText(skipped) : summary, skipped, n: 0, revision: 0 })
    }
  }

  push(row) {
    row.index = this.trimmed + this.rows.length
    // Sequences begin again when the server does, so they are no keys.
    row.key = `c${row.index}`
    this.rows.push(row)
    // Cutting in one step of many rows is cheaper than one row at a time.
    const excess = this.rows.length - limit
    if (excess > limit / 10) {
      this.rows.splice(0, excess)
      this.trimmed += excess
    }
  }
}

function skippedText(count) {
  return `${counted(count, "change")} skipped, because this page could not keep up`
}

/** The process, resource and paths of a change: equal ones in a row are one row. */
function placeOf(change) {
  const paths = change.diff?.map(entry => entry[0] + entry[1]).join("\n") ?? ""
  return [change.r, change.proc ?? "", change.author ?? "", change.op, paths].join("\t")
}
