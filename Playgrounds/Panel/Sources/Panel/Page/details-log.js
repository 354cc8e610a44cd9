// A log: its consumers with their lag, its producers, and its latest events.

import { query } from "./api.js"
import { propose } from "./change.js"
import { facts, table } from "./details-parts.js"
import { valueView } from "./difference-view.js"
import { button, make } from "./dom.js"
import { counted, duration, exactTime, moment, number, rate, size } from "./format.js"
import { loadView } from "./loads.js"
import { lagCell, stateCell } from "./section-logs.js"

function consumers(context, resource) {
  const all = resource.log?.consumers ?? []
  if (!all.length) return make("p", { class: "muted" },
    "No consumer reads this log. Its events are kept until a limit is reached.")
  return make("ul", { class: "cards" }, all.map(consumer => card(context, resource, consumer)))
}

function card(context, resource, consumer) {
  const state = stateCell(consumer)
  const lag = lagCell(consumer)
  const reason = context.store.readOnlyReason ?? (consumer.running ? "The consumer runs" : null)
  const remove = () => propose(context,
    { title: `Remove the consumer ${consumer.name}`, operation: "Remove", isDangerous: true,
    warning: () => "It loses its position. If it runs again, it begins with the oldest event.",
    body: { action: "log.removeConsumer", r: resource.id, consumer: consumer.name } })
  return make("li", { "data-key": consumer.name },
    make("p", {}, make("strong", {}, consumer.name), " ", make("span", { "data-tone": state.tone }, state.text)),
    consumer.error ? make("p", { class: "error-text" }, consumer.error) : null,
    consumer.loss ? make("p", { class: "error-text" }, losses[consumer.loss] ?? `Events were lost: ${consumer.loss}.`)
      : null,
    lagBar(consumer),
    facts([["Lag", lag.label ? `— (${lag.label})` : counted(lag.text, "event")],
      ["Cursor", `${number(consumer.cursor)} of ${number(consumer.end)}`],
      ["Oldest unread", consumer.oldest === undefined ? null : `${duration(consumer.oldest)} old`],
      ["Rate", consumer.reads === undefined ? null : rate(consumer.reads)],
      ["Empty in", consumer.empty === undefined ? null : duration(consumer.empty)],
      ["Process", consumer.process ?? (consumer.pid && String(consumer.pid))],
      ["Last active", consumer.active && moment(consumer.active)]]),
    consumer.cursors?.length > 1 ? make("details", {}, make("summary", {}, "By producer"),
      table("Position by producer", ["Producer", "#Position", "#End", "#Lag"], consumer.cursors.map(cursor => (
        [cursor.producer.slice(0, 8), number(cursor.position), number(cursor.end), number(cursor.lag)])))) : null,
    make("div", { class: "actions" }, button("Remove consumer…", remove, { reason, "data-key": "remove" })))
}

const losses = { sizeLimit: "Events that it had not read were removed, because the log reached its size limit.",
  absence: "Events that it had not read were removed, because it was absent for too long." }

/** The part of the log that the consumer has read. */
function lagBar({ cursor, end, lag }) {
  if (lag === undefined || !/^\d+$/.test(cursor ?? "") || !/^\d+$/.test(end ?? "") || end === "0") return null
  const done = Math.max(0, Math.min(100, Number(cursor) / Number(end) * 100))
  return make("progress", { class: "lag", max: 100, value: done,
    "aria-label": `${done.toFixed(0)} % of the log is read` })
}

function producers(context, resource) {
  const all = resource.log?.producers ?? []
  return table("Producers", ["Producer", "Process", "#Events", "#Segments", "#Size"], all.map(producer => [
    { text: producer.id.slice(0, 8), label: producer.id },
    producer.process ?? (producer.active ? "active" : { text: "ended", tone: "muted" }),
    number(producer.events), number(producer.segments), size(producer.bytes)]))
}

function events(context, resource) {
  const path = query("/api/log", { r: resource.id, limit: 100 })
  return [
    loadView(context, path, resource.seq ?? resource.version, `Read ${resource.name ?? resource.id}`,
      data => data.entries.length
      ? make("ol", { class: "cards" }, [...data.entries].reverse().map(entry => make("li", { "data-key": entry.id },
        make("p", { class: "muted" },
          `${number(entry.sequence)} · ${entry.process ?? entry.producer.slice(0, 8)} · ${exactTime(entry.at)} · ${
          size(entry.bytes)}`),
        entry.value === undefined
          ? make("p", { class: "muted" }, entry.truncated ? "Too large to show here." : "Not JSON.")
          : valueView(entry.value))))
      : make("p", { class: "muted" }, "The log is empty.")),
  ]
}

function about(context, resource) {
  const details = resource.log ?? {}
  const trim = () => propose(context, { title: `Trim ${resource.name}`, operation: "Trim", isDangerous: true,
    warning: () => "Segments that every consumer has read are removed.", body: { action: "log.trim", r: resource.id } })
  return [facts([["Events stored", number(details.events)], ["Events ever appended", number(details.end)],
    ["Size", size(details.bytes)],
    ["First event", details.first && moment(details.first)], ["Last event", details.last && moment(details.last)]]),
  make("h3", {}, "Producers"), producers(context, resource),
  make("div", { class: "actions" },
    button("Trim…", trim, { reason: context.store.readOnlyReason, "data-key": "trim" }))]
}

export const logViews = [{ id: "consumers", label: "Consumers", show: consumers },
  { id: "events", label: "Events", show: events },
  { id: "about", label: "Log", show: about }]
