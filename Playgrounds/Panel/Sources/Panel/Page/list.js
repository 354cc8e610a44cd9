// The list in the middle: the rows of the section that the filter lets through.

import { button, fill, find, make, morph, write } from "./dom.js"
import { passes } from "./filter.js"
import { counted, number } from "./format.js"
import { GraphView } from "./graph-view.js"
import { plainTable } from "./plain.js"
import { Rows } from "./rows.js"

export class List {
  constructor(context) {
    Object.assign(this, { context, section: null, rows: null, positions: new Map(), subjects: new WeakMap(),
      isPlain: false })
    this.stage = find("stage")
  }

  /** Shows a section, at the place where it was left. */
  use(section) {
    if (this.section) this.positions.set(this.section.id, this.rows.position)
    this.rows?.destroy()
    Object.assign(this, { section, passed: null, shown: null })
    const open = (item, options) => this.open(item, options)
    this.rows = new Rows(section, { open, label: section.name })
    this.graph = section.isGraph ? new GraphView(this.context) : null
    this.empty = make("div", { class: "empty", hidden: true })
    this.plain = make("div", { class: "plain-stage", hidden: true })
    fill(this.stage, this.graph?.element, this.rows.element, this.plain, this.empty)
    const headline = find("heading")
    write(headline, section.name)
    this.refresh()
    const position = this.positions.get(section.id)
    if (position) this.rows.restore(position)
  }

  open(item, { movesFocus = false } = {}) {
    const place = this.section.open(item)
    if (place) this.context.open({ row: "", tab: "", ...place }, movesFocus)
  }

  /** Shows the rows as they are now. */
  refresh() {
    const { context, section, rows } = this
    if (!section) return
    const { store, filter } = context
    const { items, trimmed } = section.isLive ? this.changes() : { items: this.resources(), trimmed: 0 }
    rows.set(items, trimmed)
    this.graph?.update(filter)
    const total = section.isLive ? store.timeline.rows.length : section.count(store)
    write(find("count"), store.isKnown ? countText(items, total, filter, section, store.timeline.skipped) : "")
    this.showEmpty(items.length === 0)
    if (this.isPlain) this.refreshPlain(items)
    this.refreshActions()
  }

  resources() {
    const { store, filter } = this.context
    const items = this.section.items(store)
    return filter.isEmpty ? items : items.filter(item => this.passes(item))
  }

  passes(item) {
    let subject = this.subjects.get(item)
    if (!subject) this.subjects.set(item, subject = this.section.subject(item))
    return passes(this.context.filter, subject)
  }

  /** The rows of the timeline. Each is filtered once, because thousands may come in a second. */
  changes() {
    const { store, filter } = this.context
    const { timeline } = store
    const isNew = this.passed?.filter !== filter || this.passed.timeline !== timeline
      || (this.passed.ages && this.passed.until < Date.now())
    if (isNew) {
      const ages = filter.terms.some(term => term.since)
      this.passed = { filter, timeline, rows: [], next: timeline.trimmed, trimmed: timeline.trimmed, ages,
        until: Date.now() + 1000 }
    }
    const { passed } = this
    if (filter.isEmpty) {
      const trimmed = timeline.trimmed - passed.trimmed
      passed.trimmed = timeline.trimmed
      return { items: timeline.rows, trimmed }
    }
    for (const row of timeline.rows.slice(Math.max(0, passed.next - timeline.trimmed)))
      if (!row.isNote && passes(filter, this.section.subject(row))) passed.rows.push(row)
    passed.next = timeline.trimmed + timeline.rows.length
    const kept = passed.rows.findIndex(row => row.index >= timeline.trimmed)
    const trimmed = kept < 0 ? passed.rows.length : kept
    passed.rows.splice(0, trimmed)
    return { items: passed.rows, trimmed: isNew ? 0 : trimmed }
  }

  showEmpty(isEmpty) {
    const { context, section } = this
    const { connection } = context.store
    const failure = context.stageFor(connection)
    this.rows.element.hidden = isEmpty || this.isPlain || Boolean(failure)
    this.empty.hidden = !isEmpty && !failure
    if (failure) return void morph(this.empty, failure)
    if (!isEmpty) return
    if (connection.state === "loading") return void morph(this.empty, skeleton())
    const [lead, hint] = context.filter.isEmpty ? section.empty
      : ["Nothing passes the filter", `No row of ${section.name} matches “${context.filter.text}”.`]
    morph(this.empty, make("p", { class: "lead" }, lead), make("p", {}, hint),
      context.filter.isEmpty ? null : button("Clear the filter", () => context.setFilter("")))
  }

  /** The actions of the section, beside its name. */
  refreshActions() {
    const { context, section } = this
    const reason = context.store.readOnlyReason
    const actions = context.store.isKnown ? section.actions?.(context) ?? [] : []
    morph(find("actions"), actions.map(([label, act]) => button(label, act, { reason, "data-edit": true })))
  }

  /** Changes between the table that scrolls and a plain one. */
  usePlain(isPlain) {
    this.isPlain = isPlain
    this.plain.hidden = !isPlain
    this.shown = null
    this.refresh()
  }

  refreshPlain(items) {
    if (this.shown && performance.now() - this.shown < 2000) return
    this.shown = performance.now()
    this.plain.hidden = false
    morph(this.plain, plainTable(this.section, items, item => this.open(item, { movesFocus: true })))
  }
}

function countText(items, total, filter, section, skipped) {
  const rows = filter.isEmpty ? counted(items.length, "row") : `${counted(items.length, "row")} of ${number(total)}`
  if (section.isLive) return skipped ? `${rows}, ${number(skipped)} skipped` : rows
  return filter.isEmpty ? number(total) : rows
}

function skeleton() {
  return make("div", { class: "skeletons", "aria-label": "Loading", role: "img" },
    Array.from({ length: 8 }, () => make("div", { class: "skeleton" })))
}
