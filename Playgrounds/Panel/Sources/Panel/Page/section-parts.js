// The parts that most sections share.

import { brief, moment, rate, shortName } from "./format.js"
import { redaction } from "./json.js"

const quiet = new Set(["ok", "idle"])
const words = { missing: "missing", unreadable: "unreadable", damaged: "damaged", newer: "newer version",
  binary: "not JSON", large: "too large" }

/** The status of a resource as a cell. */
export function statusCell(resource) {
  const { status } = resource
  if (resource.problem && quiet.has(status)) return { text: "problem", tone: "error" }
  if (quiet.has(status)) return { text: status, tone: "muted" }
  return { text: words[status] ?? status,
    tone: status === "binary" || status === "large" ? "muted" : status === "missing" ? "warning" : "error" }
}

/** A Boolean value that indicates whether a resource needs attention; that its file is large is only said. */
export function isFaulty(resource) {
  if (resource.status === "large") return false
  return Boolean(resource.problem) || ["missing", "unreadable", "damaged", "newer"].includes(resource.status)
}

/** The value of a resource in one line. */
export function valueCell(resource) {
  if (resource.truncated || resource.status === "large") return { text: "too large to show here", tone: "muted" }
  if (resource.value === undefined) return { text: "", tone: "muted" }
  if (resource.value === redaction) return { text: redaction, tone: "muted", label: "redacted" }
  return brief(resource.value, 160)
}

export function changedCell(resource) {
  return { text: moment(resource.at), tone: "muted" }
}

export function rateCell(resource) {
  return resource.rate?.s1 ? rate(resource.rate.s1) : ""
}

/** The rows of the resources of some kinds, by name. */
export function resourceItems(store, kinds) {
  return kinds.flatMap(kind => store.sorted(kind).map(itemOf))
}

const known = new WeakMap()

/** The row of a resource: the same object as long as the resource is the same. */
export function itemOf(resource) {
  let item = known.get(resource)
  if (!item) known.set(resource, item = { key: resource.id, resource })
  return item
}

/** The subject of the filter for a resource. */
export function subjectOf(resource, extra = "") {
  return { kind: resource.kind, proc: processesOf(resource), key: `${resource.id} ${keysOf(resource)}`,
    status: resource.status,
    at: resource.at, text: `${resource.id} ${resource.problem ?? ""} ${brief(resource.value, 400)} ${extra}` }
}

function keysOf(resource) {
  const details = resource[resource.kind]
  if (details?.keys) return details.keys.join(" ")
  const { value } = resource
  return value && typeof value === "object" && !Array.isArray(value) ? Object.keys(value).join(" ") : ""
}

/** The names of the processes that have to do with a resource. */
function processesOf(resource) {
  const details = resource[resource.kind] ?? {}
  const holders = [details.holder, details.writer, ...details.holders ?? [], ...details.waiters ?? [],
    ...details.members ?? [],
    ...details.producers ?? [], ...details.consumers ?? []]
  const names = holders.filter(Boolean).map(holder => `${holder.process ?? ""} ${holder.name ?? ""}`)
  return [...names, ...details.processes ?? [], details.process ?? ""].join(" ")
}

/** The opening of a row that is a resource. */
export function openResource(item) {
  return { open: item.resource.id }
}

export const nameOf = resource => resource.name ?? shortName(resource.id)
