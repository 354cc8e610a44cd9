// The details of the open resource: its head, its actions, and its tabs.

import { commandFor } from "./command.js"
import { copyButton } from "./copying.js"
import { views } from "./details.js"
import { differenceView } from "./difference-view.js"
import { button, fill, make, morph } from "./dom.js"
import { edit, reasonAgainst } from "./editor.js"
import { counted, exactTime, moment, number, rate, short, shortName } from "./format.js"
import { pretty } from "./json.js"
import { processOf, summaryOf, symbolOf, tones } from "./section-timeline.js"
import { processState } from "./section-presence.js"

const kindNames = { tweak: "flag", container: "environments" }
const editable = new Set(["file", "suite"])
/** Milliseconds between two refreshes, so that a value that changes all the time can be read. */
const pause = 250

export class Detail {
  constructor(element, context) {
    Object.assign(this, { element, context, row: null, last: 0, timer: null })
    this.body = make("div", { class: "detail-body", tabindex: "-1" })
    fill(element, this.body)
  }

  /** Shows the details again, soon. */
  refresh() {
    this.timer ??= setTimeout(() => this.render(), Math.max(0, this.last + pause - performance.now()))
  }

  render() {
    clearTimeout(this.timer)
    this.timer = null
    this.last = performance.now()
    const { store, address } = this.context
    const { open, row } = address.state
    // A row that the timeline no longer has stays open.
    if (this.row?.key !== row) this.row = row ? store.timeline.rows.findLast(each => each.key === row) ?? null : null
    morph(this.body, this.content(open))
    if (this.opened !== open + row) this.body.scrollTop = 0
    this.opened = open + row
  }

  content(open) {
    const { store } = this.context
    if (!open) return make("div", { class: "empty", "data-key": "none" },
      make("p", { class: "lead" }, "Nothing is open"),
      make("p", {}, "Select a row to see its value, its differences and its history."))
    if (open.startsWith("process/")) return this.process(store.processes.find(each => `process/${each.id}` === open),
      open)
    if (open.startsWith("problem/")) return this.problem(store.problems.find(each => `problem/${each.id}` === open))
    return this.resource(store.resources.get(open), open)
  }

  resource(resource, id) {
    const { address } = this.context
    const kind = resource?.kind ?? this.row?.kind
    const tabs = [...this.row ? [["diff", "Diff"]] : [],
      ...resource ? views(kind).map(view => [view.id, view.label]) : [],
      ["history", "Changes"]]
    const wanted = address.state.tab.split(" ")[0]
    const chosen = tabs.find(([tab]) => tab === wanted)?.[0] ?? tabs[0][0]
    return make("article", { "data-key": `resource ${id}`, class: "subject" },
      this.head(resource, id, kind),
      this.tabs(tabs, chosen),
      make("div", { role: "tabpanel", id: "panel", "aria-labelledby": `tab-${chosen}`, "data-key": `panel ${chosen}` },
        this.panel(chosen, resource, id)))
  }

  head(resource, id, kind) {
    const { row } = this
    const name = resource?.name ?? shortName(id)
    const facts = [kindNames[kind] ?? kind, resource?.version && `version ${short(resource.version)}`,
      resource?.at && `changed ${moment(resource.at)}${resource.proc ? ` by ${resource.proc}` : ""}${
        resource.cause ? ` (${resource.cause})` : ""}`,
      resource?.rate?.s1 && `${rate(resource.rate.s1)} now`,
      resource?.rate?.s60 && `${rate(resource.rate.s60)} in a minute`]
    return make("header", { class: "head" },
      make("h2", { id: "subject", tabindex: "-1", title: resource?.path ?? id }, name),
      make("p", { class: "muted facts" }, facts.filter(Boolean).join(" · ")),
      resource ? null : make("p", { class: "warning-text" }, "It does not exist any more. Its changes remain below."),
      resource?.problem ? make("p", { class: "error-text" }, resource.problem) : null,
      row ? this.write(row) : null,
      this.actions(resource))
  }

  /** The write that the selected row of the timeline is. */
  write(row) {
    const symbol = symbolOf(row)
    return make("p", { class: "write" },
      make("span", { class: "sign", "data-tone": tones[symbol], "aria-label": row.op }, symbol), " ",
      make("strong", {}, processOf(row)), ` ${exactTime(row.at)}`,
      row.n > 1 ? ` ×${number(row.n)} since ${exactTime(row.first)}` : "",
      row.cause ? ` · ${row.cause}` : "",
      row.v ? ` · version ${short(row.v)}` : "")
  }

  actions(resource) {
    if (!resource) return null
    const { context } = this
    const hasEditor = editable.has(resource.kind)
    return make("div", { class: "actions" },
      hasEditor ? button("Edit", () => edit(context, resource), { "data-edit": true, "data-key": "edit",
        reason: reasonAgainst(context.store, resource) }) : null,
      resource.value !== undefined ? copyButton(context, "Copy value", () => pretty(resource.value), "value") : null,
      copyButton(context, "Copy as command", () => commandFor(context.store, resource, context.address.state.tab),
        "command"))
  }

  tabs(tabs, chosen) {
    const { address } = this.context
    const key = event => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
      if (!step) return
      const index = (tabs.findIndex(([id]) => id === chosen) + step + tabs.length) % tabs.length
      address.go({ tab: tabs[index][0] }, { replaces: true })
      this.render()
      document.getElementById(`tab-${tabs[index][0]}`)?.focus()
      event.preventDefault()
    }
    return make("div", { role: "tablist", class: "tabs", "aria-label": "Details", keydown: key },
      tabs.map(([id, label]) => (
      make("button", { type: "button", role: "tab", id: `tab-${id}`, class: "tab",
        "aria-selected": String(id === chosen),
        "aria-controls": "panel", tabindex: id === chosen ? "0" : "-1", "data-key": `tab ${id}`,
        click: () => address.go({ tab: id }, { replaces: true }) }, label))))
  }

  panel(chosen, resource, id) {
    if (chosen === "diff") return this.difference()
    if (chosen === "history") return this.history(id)
    return views(resource.kind).find(view => view.id === chosen).show(this.context, resource)
  }

  difference() {
    const { row } = this
    const steps = row.n > 1 && row.summary === undefined ? "The first and the last value of these writes." : null
    if (!row.diff) return make("p", {}, summaryOf(row))
    return [steps ? make("p", { class: "muted" }, steps) : null, differenceView(row.diff, { more: row.more })]
  }

  /** The latest writes of a resource that the timeline has. */
  history(id) {
    const { store, address } = this.context
    const rows = []
    for (let index = store.timeline.rows.length - 1; index >= 0 && rows.length < 50; index--)
      if (store.timeline.rows[index].r === id) rows.push(store.timeline.rows[index])
    if (!rows.length) return make("p", { class: "muted" },
      "The timeline has no change of it since the panel was opened.")
    return make("ol", { class: "history" }, rows.map(row => make("li", { "data-key": row.key },
      make("button", { type: "button", class: "plain", "aria-current": row.key === this.row?.key ? "true" : null,
        click: () => address.go({ open: id, row: row.key, tab: "diff" }, { replaces: true }) },
      make("span", { class: "muted" }, exactTime(row.at)),
      ` ${processOf(row)}${row.n > 1 ? ` ×${number(row.n)}` : ""} `,
      make("code", {}, `${symbolOf(row)} ${summaryOf(row)}`)))))
  }

  process(process, open) {
    if (!process) return make("div", { class: "empty" }, make("p", { class: "lead" }, `${shortName(open)} has ended`),
      make("p", {}, "The kernel released its locks and its presence."))
    const { store } = this.context
    const held = [...store.of("lock")
      .values()].filter(lock => lock.lock?.holders?.some(holder => holder.pid === process.pid))
    const link = (id, text) => make("li", {}, make("button", { type: "button", class: "link",
      click: () => this.context.show(id) }, text))
    return make("article", { class: "subject", "data-key": open }, make("header", { class: "head" },
      make("h2", { id: "subject", tabindex: "-1" }, process.name),
      make("p", { class: "muted facts" },
        `process ${process.pid} · since ${moment(process.since)} · ${processState(process).text}`)),
    make("h3", {}, counted(held.length, "lock"), " held"),
    make("ul", { class: "links" }, held.map(lock => link(lock.id, lock.name ?? lock.id))),
    process.opens?.length ? [make("h3", {}, "Open files"),
      make("ul", {}, process.opens.map(path => make("li", {}, make("code", {}, path))))] : null,
    process.publishes ? make("ul", { class: "links" }, link(`graph/${process.id}`, "Its graph of signals")) : null)
  }

  problem(problem) {
    if (!problem) return make("div", { class: "empty" }, make("p", { class: "lead" }, "This problem is solved"))
    return make("article", { class: "subject" },
      make("header", { class: "head" }, make("h2", { id: "subject", tabindex: "-1" }, problem.path)),
      make("p", { class: "error-text" }, problem.cause), make("p", {}, problem.remedy),
      make("p", { class: "muted" }, problem.operation))
  }

  /** Moves the focus to the name of the open resource. */
  focus() {
    this.render()
    document.getElementById("subject")?.focus()
  }
}

