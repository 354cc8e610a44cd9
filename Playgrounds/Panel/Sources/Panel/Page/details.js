// The tabs of each kind of resource.

import { containerViews } from "./details-container.js"
import { databaseViews } from "./details-database.js"
import { logViews } from "./details-log.js"
import { facts } from "./details-parts.js"
import { valueViews } from "./details-value.js"
import { make } from "./dom.js"
import { flagView } from "./flags.js"
import { moment, number } from "./format.js"
import { nodeViews } from "./graph-view.js"
import { valueView } from "./difference-view.js"
import { sessionState } from "./section-environments.js"
import { holderText } from "./section-locks.js"
import { processState } from "./section-presence.js"

const about = show => [{ id: "about", label: "About", show }]

function lock(context, { lock: details = {}, path }) {
  const list = (holders = []) => holders.map(holder => holderText(holder) + (holder.stopped ? ", stopped" : ""))
    .join(", ") || "none"
  return [facts([["Purpose", details.purpose], ["Path", path], ["Mode", details.mode], ["Kind", details.kind],
    ["Holder", list(details.holders)], ["Since", moment(details.since)], ["Waiting", list(details.waiters)]]),
  details.holders?.some(holder => holder.stopped) ? make("p", { class: "error-text" },
    "The holder is stopped, for example by a debugger. Writers wait until it continues or ends.") : null]
}

function session(context, { session: details = {} }) {
  return facts([["State", sessionState(details).text], ["User", details.user],
    ["Since", details.since && moment(details.since)],
    ["Expires", moment(details.expires)], ["Last activity", moment(details.activity)], ["Last user", details.lastUser],
    ["Former users", details.former === undefined ? undefined : number(details.former)],
    ["Session number", details.number === undefined ? null : number(details.number)],
    ["Token generation", details.generation === undefined ? null : number(details.generation)],
    ["Renewal", details.renewal && `process ${details.renewal.pid}, generation ${details.renewal.generation}`],
    ["Lock held by", holderText(details.holder)], ["Secrets", "never read by the inspector"]])
}

function presence(context, { presence: details = {} }) {
  const members = details.members ?? []
  if (!members.length) return make("p", { class: "muted" }, "No process is present.")
  return make("ul", { class: "cards" }, members.map(member => make("li", { "data-key": member.id },
    make("p", {}, make("strong", {}, member.name), ` (${member.pid})`),
    make("p", { class: "muted" }, `${processState(member).text} since ${moment(member.since)}`),
    member.value === undefined ? null : valueView(member.value))))
}

const all = {
  file: valueViews, suite: valueViews, log: logViews, database: databaseViews, container: containerViews,
  graph: nodeViews,
  tweak: [{ id: "flag", label: "Flag", show: flagView }],
  lock: about(lock), session: about(session), presence: about(presence),
}

export function views(kind) {
  return all[kind] ?? valueViews
}
