// A database: its tables page by page, its history, and the position of each author.

import { query } from "./api.js"
import { propose } from "./change.js"
import { facts, table } from "./details-parts.js"
import { button, make } from "./dom.js"
import { brief, counted, exactTime, moment, number, size } from "./format.js"
import { redaction } from "./json.js"
import { loadView } from "./loads.js"
import { rowsText } from "./section-databases.js"
import { holderText } from "./section-locks.js"

/** The cursors of the pages before the one that is shown, by table. */
const pages = new Map()

function tables(context, resource) {
  const all = resource.database?.tables ?? []
  const chosen = context.address.state.tab.startsWith("table ") ? context.address.state.tab.slice(6) : null
  if (!all.length) return make("p", { class: "muted" }, "The database has no table.")
  return [make("ul", { class: "links" },
    all.map(each => make("li", { "data-key": each.name }, make("button", { type: "button", class: "link",
    "aria-current": each.name === chosen ? "true" : null,
    click: () => context.address.go({ tab: `table ${each.name}` }, { replaces: true }) }, each.name),
  make("span", { class: "muted" }, each.rows === 1 ? " 1 row" : ` ${rowsText(each)} rows`)))),
  chosen ? page(context, resource, chosen) : make("p", { class: "muted" }, "Choose a table to read its rows.")]
}

function page(context, resource, name) {
  const key = `${resource.id} ${name}`
  const before = pages.get(key) ?? []
  const turn = cursors => { pages.set(key, cursors); context.refreshDetail() }
  const path = query("/api/rows", { r: resource.id, table: name, after: before.at(-1), limit: 100 })
  return [make("h3", {}, name), loadView(context, path, resource.version, `Read ${name}`, data => [
    data.rows.length ? table(`Rows of ${name}`, data.columns, data.rows.map(row => row.map(cell)))
      : make("p", { class: "muted" }, "No row."),
    make("div", { class: "actions" },
      button("First", () => turn([]), { reason: before.length ? null : "This is the first page", "data-key": "first" }),
      button("Back", () => turn(before.slice(0, -1)),
        { reason: before.length ? null : "This is the first page", "data-key": "previous" }),
      button("Next", () => turn([...before, data.next]),
        { reason: data.next ? null : "This is the last page", "data-key": "next" }),
      make("span", { class: "muted" }, `${counted(data.rows.length, "row")} from ${number(before.length * 100 + 1)}`)),
  ])]
}

function cell(value) {
  if (value === null) return { text: "null", tone: "muted" }
  if (value === redaction) return { text: redaction, tone: "muted", label: "redacted" }
  if (typeof value === "string") return value.length > 200 ? value.slice(0, 199) + "…" : value
  return brief(value, 200)
}

function history(context, resource) {
  const { entries = [], first, last } = resource.database?.history ?? {}
  if (!entries.length) return make("p", { class: "muted" }, "The database has no history. A shared database keeps one.")
  return [make("p", { class: "muted" },
    `Transactions ${number(first)} to ${number(last)}; the latest ${entries.length} are here.`),
    make("ol", { class: "cards" }, entries.map(entry => make("li", { "data-key": entry.seq },
      make("p", {}, make("strong", {}, number(entry.seq)), ` ${entry.author || "migration"} `,
        make("span", { class: "muted" }, exactTime(entry.at))),
      make("p", {}, entry.everything ? "Everything may have changed." : [
        make("span", { "data-tone": "good" }, `+${number(entry.inserted)}`), " ",
        make("span", { "data-tone": "warning" }, `~${number(entry.updated)}`), " ",
        make("span", { "data-tone": "error" }, `-${number(entry.deleted)}`),
        ` in ${(entry.tables ?? []).join(", ")}`]))))]
}

function queues(context, resource) {
  const all = resource.database?.queues ?? []
  if (!all.length) return make("p", { class: "muted" }, "The database has no work queue.")
  return all.map(queue => [make("h3", {}, queue.name),
    facts(["waiting", "delayed", "running", "failed", "finished"].map(state => [
      state[0].toUpperCase() + state.slice(1), number(queue.counts?.[state] ?? 0)])),
    make("ul", { class: "cards" }, (queue.jobs ?? []).map(job => jobCard(context, resource, queue, job)))])
}

function jobCard(context, resource, queue, job) {
  const ask = (operation, action, isDangerous, text) => () => propose(context,
    { title: `${operation} the job ${job.id} of ${queue.name}`, operation, isDangerous, warning: () => text,
    body: { action, r: resource.id, name: queue.name, id: job.id } })
  const isFailed = job.state === "failed"
  const reason = context.store.readOnlyReason
  return make("li", { "data-key": `${queue.name} ${job.id}` },
    make("p", {}, make("strong", {}, job.id), " ", make("span", { "data-tone": isFailed ? "error" : "good" }, job.state),
      " ", make("span", { class: "muted" }, moment(job.at))),
    job.error ? make("p", { class: "error-text" }, job.error) : null,
    facts([["Attempt", number(job.attempt)], ["Failures", job.failures ? number(job.failures) : null],
      ["Progress", job.progress === undefined ? null : `${Math.round(job.progress * 100)} %`],
      ["Process", job.process]]),
    make("div", { class: "actions" },
      isFailed ? button("Retry…", ask("Retry", "queue.retry", false, "It waits again, without its earlier failures."),
        { reason, "data-key": "retry" }) : null,
      button(isFailed ? "Remove…" : "Cancel…", ask("Cancel", "queue.cancel", true,
        isFailed ? "The job is lost." : "Its worker loses the claim, and the job is lost."),
        { reason, "data-key": "cancel" })))
}

function about(context, resource) {
  const details = resource.database ?? {}
  const authors = details.authors ?? []
  return [facts([["Schema", number(details.schema)], ["Application", details.application], ["Journal", details.journal],
    ["Size", size(details.bytes)], ["Write-ahead log", details.wal === undefined ? null : size(details.wal)],
    ["Shared", details.shared ? "yes" : "no"], ["Writer", holderText(details.writer)], ["Path", resource.path]]),
  authors.length ? [make("h3", {}, "Authors"),
    table("Authors", ["Author", "#Cursor", "#Lag", "Seen"], authors.map(author => [
    author.name, number(author.cursor), { text: number(author.lag), tone: author.lag ? "warning" : null },
    author.running ? { text: "running", tone: "good" } : moment(author.seen)]))] : null]
}

export const databaseViews = [{ id: "table", label: "Tables", show: tables },
  { id: "transactions", label: "Transactions", show: history },
  { id: "queues", label: "Queues", show: queues },
  { id: "about", label: "Database", show: about }]
