// The value of a file or a suite.

import { query } from "./api.js"
import { propose } from "./change.js"
import { valueView } from "./difference-view.js"
import { button, make } from "./dom.js"
import { edit } from "./editor.js"
import { brief, counted, number, size } from "./format.js"
import { escape, redaction } from "./json.js"
import { loadView } from "./loads.js"
import { facts } from "./details-parts.js"
import { holderText } from "./section-locks.js"

function value(context, resource) {
  const details = resource[resource.kind] ?? {}
  return [
    resource.redacted?.length ? make("p", { class: "muted" }, `${counted(resource.redacted.length, "place")} redacted.`)
      : null,
    resource.truncated || resource.value === undefined ? long(context, resource) : valueView(resource.value),
    facts([["Format", details.format], ["Version of the format", details.envelope],
      ["Size", resource.size === undefined ? null : size(resource.size)],
      ["Path", resource.path], ["Changed through", editorText(details.editor)],
      ["Lock held by", holderText(details.holder)]]),
  ]
}

const editorText = editor => editor && `${editor.process}, as ${editor.type}`

/** The characters of a page of the server that are laid out at once. */
const part = 128 * 1024

/** The shown part of each long value: the offsets of the pages up to the shown one, and the part of that page. */
const places = new Map()

/** A value that is too long for the snapshot, read on request, or the beginning of a binary file. */
function long(context, resource) {
  if (["missing", "unreadable", "large"].includes(resource.status))
    return make("p", { class: "muted" }, "There is no value to show.")
  const place = places.get(resource.id) ?? { offsets: [0], part: 0 }
  const path = query("/api/value", { r: resource.id, offset: place.offsets.at(-1) || undefined })
  return loadView(context, path, resource.version, `Read ${resource.name ?? resource.id}`,
    data => data.hex === undefined ? text(context, resource, data, place)
      : [make("pre", { class: "json hex", tabindex: "0", "aria-label": "bytes" }, bytes(data.hex)),
        facts([["SHA-256", data.sha256]])])
}

function text(context, resource, data, place) {
  const start = Math.min(place.part * part, data.text.length)
  const turn = (offsets, part) => {
    places.set(resource.id, { offsets, part })
    context.refreshDetail()
  }
  const isLast = start + part >= data.text.length
  const following = () => data.offset + new TextEncoder().encode(data.text).length
  const next = () => isLast ? turn([...place.offsets, following()], 0) : turn(place.offsets, place.part + 1)
  const back = () => place.part ? turn(place.offsets, place.part - 1) : turn(place.offsets.slice(0, -1), 0)
  const isFirst = place.offsets.length === 1 && place.part === 0
  return [make("pre", { class: "json", tabindex: "0", "aria-label": "value" }, data.text.slice(start, start + part)),
    make("div", { class: "actions" },
      button("Back", back, { reason: isFirst ? "This is the beginning" : null, "data-key": "earlier" }),
      button("Next", next, { reason: isLast && !data.more ? "This is the end" : null, "data-key": "later" }),
      make("span", { class: "muted" }, `from ${size(data.offset + start)} of ${size(data.total)}`))]
}

function bytes(hex) {
  const lines = []
  for (let start = 0; start < hex.length; start += 16)
    lines.push(`${(start / 2).toString(16).padStart(4, "0")}  ${hex.slice(start, start + 16).match(/../g).join(" ")}`)
  return lines.join("\n")
}

/** The keys of a suite, each of which can be edited alone. */
function keys(context, resource) {
  const members = resource.value && typeof resource.value === "object" ? Object.entries(resource.value) : []
  const hidden = new Set(resource.redacted ?? [])
  if (!members.length) return make("p", { class: "muted" },
    resource.truncated ? "The suite is too large to list." : "The suite has no key.")
  const remove = (name, path) => propose(context, { title: `Remove ${name}`, operation: "Remove", isDangerous: true,
    body: { action: "value.remove", r: resource.id, version: resource.version, path } })
  const reason = context.store.readOnlyReason
  return [make("p", { class: "muted" }, counted(members.length, "key")),
    make("ul", { class: "keys" }, members.map(([name, member]) => {
    const path = `/${escape(name)}`
    const isHidden = [...hidden].some(place => place === path || place.startsWith(`${path}/`))
    return make("li", { "data-key": name },
      make("code", { class: "name" }, name),
      make("code", { class: "value" }, isHidden && typeof member === "string" ? redaction : brief(member, 120)),
      make("span", { class: "actions" },
        button("Edit", () => edit(context, resource, path), { style: "link", "aria-label": `Edit ${name}`,
          reason: reason ?? (isHidden ? "The value is redacted" : null) }),
        button("Remove", () => remove(name, path), { style: "link", "aria-label": `Remove ${name}`, reason })))
  }))]
}

export const valueViews = [{ id: "value", label: "Value", show: (context, resource) => resource.kind === "suite"
  ? [keys(context, resource),
    make("details", {}, make("summary", {}, `All as JSON, ${number(resource.size)} bytes`), value(context, resource))]
  : value(context, resource) }]
