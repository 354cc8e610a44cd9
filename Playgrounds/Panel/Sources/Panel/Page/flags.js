// The editor of a flag. The control depends on the type of the flag, so no value of another type can be entered.

import { attempt, propose } from "./change.js"
import { button, make } from "./dom.js"
import { redaction } from "./json.js"

/** The text that a flag of a type accepts, or the reason why not. */
function problemOf(type, text) {
  if (type === "int") {
    if (!/^[+-]?\d+$/.test(text.trim())) return "Enter a whole number."
    const number = BigInt(text.trim().replace(/^\+/, ""))
    return number >= -(2n ** 63n) && number < 2n ** 63n ? null : "The number does not fit into 64 bits."
  }
  if (type === "double")
    return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim())
      && Number.isFinite(Number(text)) ? null : "Enter a number."
  return null
}

function textOf(resource) {
  const { value } = resource
  return value === undefined || value === null ? "" : typeof value === "object" ? value.$number ?? "" : String(value)
}

/** The control with the value of a flag, its reset, and its providers in their order. */
export function flagView(context, resource) {
  const flag = resource.tweak ?? {}
  const reason = context.store.readOnlyReason
    ?? (flag.editable === false ? "No provider of this flag can be changed" : null)
  return [
    flag.details ? make("p", {}, flag.details) : null,
    flag.type === "bool" && !flag.secret ? switchView(context, resource, reason) : fieldView(context, resource, reason),
    make("div", { class: "actions" },
      button("Reset", () => attempt(context, { action: "tweak.reset", r: resource.id },
        `Reset ${resource.name ?? resource.id}`),
        { reason: reason ?? (flag.overridden ? null : "The flag has no override"), "data-key": "reset" })),
    make("h3", {}, "Providers, first to last"),
    traceView(flag.trace ?? []),
  ]
}

function switchView(context, resource, reason) {
  const isOn = resource.value === true
  const turn = () => attempt(context, { action: "tweak.set", r: resource.id, text: String(!isOn) },
    `Set ${resource.name ?? resource.id}`)
  return make("p", { class: "field", "data-key": "switch" },
    make("button", { type: "button", role: "switch", class: "switch", "aria-checked": String(isOn),
      "aria-label": titleOf(resource),
      "aria-disabled": reason ? "true" : null, title: reason, "data-edit": true, click: () => { if (!reason) turn() } },
      make("span", { class: "knob" })),
    make("span", {}, isOn ? "true" : "false"))
}

const titleOf = resource => resource.tweak?.title ?? resource.name ?? resource.id

function fieldView(context, resource, reason) {
  const flag = resource.tweak ?? {}
  const key = `flag ${resource.id}`
  const set = event => {
    event.preventDefault()
    const input = event.currentTarget.elements.value
    const problem = problemOf(flag.type, input.value)
    const message = event.currentTarget.querySelector(".problem")
    message.textContent = problem ?? ""
    message.hidden = !problem
    input.setAttribute("aria-invalid", String(Boolean(problem)))
    if (problem || reason) return
    delete input.dataset.edited
    attempt(context, { action: "tweak.set", r: resource.id, text: input.value }, `Set ${resource.name ?? resource.id}`)
  }
  return make("form", { class: "field", "data-key": key, submit: set },
    make("label", { for: "flag-value" }, `Value (${flag.type ?? "text"})`),
    make("input", { id: "flag-value", name: "value", autocomplete: "off", spellcheck: "false", "data-edit": true,
      type: flag.secret ? "password" : "text",
      inputmode: flag.type === "int" ? "numeric" : flag.type === "double" ? "decimal" : null,
      value: flag.secret ? "" : textOf(resource), placeholder: flag.secret ? `${redaction} enter a new value` : null,
      readonly: reason ? true : null, "aria-describedby": "flag-problem", "data-checks": true,
      input: event => event.target.dataset.edited = "" }),
    make("button", { class: "button", type: "submit", "aria-disabled": reason ? "true" : null, title: reason }, "Set"),
    make("p", { class: "problem", id: "flag-problem", hidden: true, "data-kept": true }))
}

const outcomes = { value: "has a value", absent: "has none", mismatch: "has a value of another type", error: "failed" }

function traceView(trace) {
  if (!trace.length) return make("p", { class: "muted" }, "The panel knows no provider of this flag.")
  return make("ol", { class: "trace" }, trace.map(step => make("li", { "data-winner": step.winner === true },
    make("span", { class: "provider" }, step.provider),
    make("span", { class: "outcome",
      "data-tone": step.outcome === "value" ? null : step.outcome === "absent" ? "muted" : "error" },
      step.text ?? outcomes[step.outcome] ?? step.outcome),
    step.winner ? make("span", { class: "winner" }, "decides") : null)))
}

/** Resets all flags, after a preview. */
export function proposeAll(context) {
  propose(context, { title: "Reset all flags", operation: "Reset all", isDangerous: true,
    body: { action: "tweak.resetAll" } })
}
