// A difference as a list of places, each with its old and its new value.

import { difference, newOf, oldOf } from "./difference.js"
import { make } from "./dom.js"
import { brief, counted } from "./format.js"
import { isScalar, pretty, redaction } from "./json.js"
import { tones } from "./section-timeline.js"

const words = { "+": "added", "-": "removed", "~": "changed" }

/** The entries of a difference; `more` says how many are left out. */
export function differenceView(diff, { more = 0 } = {}) {
  if (!diff?.length) return make("p", { class: "muted" }, "No difference.")
  return make("div", { class: "diff" }, diff.map(entry),
    more ? make("p", { class: "muted" }, `${counted(more, "more difference")} not shown.`) : null)
}

function entry(change) {
  const [sign, path] = change
  return make("div", { class: "change" },
    make("p", { class: "path" },
      make("span", { class: "sign", "data-tone": tones[sign], "aria-label": words[sign] }, sign), " ",
      make("code", {}, path || "the whole value")),
    make("div", { class: "sides" }, side("-", oldOf(change)), side("+", newOf(change))))
}

function side(sign, value) {
  if (value === undefined) return null
  const text = value === redaction ? redaction : isScalar(value) ? brief(value, 4000) : pretty(value)
  const shown = make("span", { "aria-label": value === redaction ? "redacted" : null }, text)
  return make("pre", { class: sign === "+" ? "new" : "old", "aria-label": sign === "+" ? "new value" : "old value" },
    make("span", { class: "sign", "aria-hidden": "true" }, sign), shown)
}

/** The difference of two values, or that there is none. */
export function comparison(before, after) {
  return differenceView(difference(before, after))
}

/** A value as indented JSON, with the names of members set apart. */
export function valueView(value) {
  const text = pretty(value)
  if (text.length > 40_000) return make("pre", { class: "json", tabindex: "0" }, text)
  const pieces = []
  let end = 0
  for (const match of text.matchAll(/^( *)("(?:[^"\\]|\\.)*")(?=: )/gm)) {
    pieces.push(text.slice(end, match.index + match[1].length), make("span", { class: "member" }, match[2]))
    end = match.index + match[0].length
  }
  return make("pre", { class: "json", tabindex: "0", "aria-label": "value" }, ...pieces, text.slice(end))
}

/** A failure: the operation, the path, the cause and the remedy. */
export function failureView(failure, retry = null) {
  return make("div", { class: "failure", role: "group", "aria-label": "Error" },
    make("p", { class: "operation" }, failure.title,
      failure.path ? [": ", make("code", {}, failure.path)] : null),
    make("p", {}, failure.reason),
    failure.remedy ? make("p", { class: "muted" }, failure.remedy) : null,
    retry ? make("button", { type: "button", class: "button", click: retry }, "Try again") : null)
}
