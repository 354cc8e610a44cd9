// The editor of a shared value. The server saves the value only if the version is still the one that was shown. If an
// app makes the change, the type in the app decides about the value; otherwise the value keeps its shape.

import { asFailure, perform } from "./change.js"
import { commandOf } from "./command.js"
import { copyButton } from "./copying.js"
import { show } from "./dialog.js"
import { comparison, failureView, valueView } from "./difference-view.js"
import { button, make } from "./dom.js"
import { equal, escape, parseTyped, pretty, shapeProblem } from "./json.js"

/** The reason why a value cannot be edited here, or `null`. */
export function reasonAgainst(store, resource) {
  if (store.readOnlyReason) return store.readOnlyReason
  if (resource.truncated) return "The value is too large to edit here"
  if (resource.value === undefined) return "There is no JSON value to edit"
  if (resource[resource.kind]?.editable === false) return "Only the app can change this value"
  return placesOf(resource).length ? null : "Every part of the value is redacted"
}

/** The editable places: the value if no part of it is redacted, and each member without a redacted part. */
function placesOf(resource) {
  const { value, redacted = [] } = resource
  const isHidden = path => redacted.some(place => place === path || place.startsWith(`${path}/`)
    || path.startsWith(`${place}/`))
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value) && value.$number === undefined
  const members = isObject ? Object.keys(value).map(name => `/${escape(name)}`) : []
  return [...(redacted.length ? [] : [""]), ...members.filter(path => !isHidden(path))]
}

function valueAt(value, path) {
  return path === "" ? value : value[path.slice(1).replaceAll("~1", "/").replaceAll("~0", "~")]
}

/** Opens the editor. */
export function edit(context, resource, firstPlace) {
  const reason = reasonAgainst(context.store, resource)
  if (reason) return context.say(reason)
  const places = placesOf(resource)
  const state = { place: places.includes(firstPlace) ? firstPlace : places[0], version: resource.version,
    base: resource.value }
  const reset = () => Object.assign(state,
    { text: pretty(valueAt(state.base, state.place)), failure: null, conflict: null })
  reset()
  const name = resource.name ?? resource.id

  const save = async () => {
    state.isBusy = true
    dialog.refresh()
    try {
      await perform(context, bodyOf(resource, state), `Set ${name}`)
      dialog.close()
    } catch (error) {
      state.failure = asFailure(error, `Set ${name}`)
      state.conflict = state.failure.code === "conflict" ? conflictOf(context, resource, state) : null
      context.alert(state.failure.sentence)
    }
    state.isBusy = false
    if (dialog.isOpen) dialog.refresh()
  }

  const dialog = show({ title: `Edit ${name}`, style: "wide", render: current => {
    const { value, problem } = check(state, typeOf(context, resource))
    const isSame = value !== undefined && equal(value, valueAt(state.base, state.place))
    return [
      typeView(typeOf(context, resource)),
      placePicker(places, state, () => { reset(); current.refresh() }, resource),
      make("p", { class: "field", "data-key": `text ${state.place} ${state.edition ?? 0}` },
        make("label", { for: "value-text" }, "Value (JSON)"),
        make("textarea", { id: "value-text", rows: Math.min(16, state.text.split("\n").length + 1), spellcheck: "false",
          value: state.text,
          "data-edited": true, "aria-describedby": "value-problem", "aria-invalid": problem ? "true" : null,
          input: event => { state.text = event.target.value; current.refresh() } })),
      make("p", { class: "problem", id: "value-problem", role: "status" }, problem ?? ""),
      state.conflict ? conflictView(state, current) : state.failure ? failureView(state.failure) : null,
      problem || isSame || state.conflict ? null
        : [make("h3", {}, "Change"), comparison(valueAt(state.base, state.place), value)],
      make("div", { class: "actions" },
        button(state.isBusy ? "Saving…" : "Save", save,
          { style: "button main", "data-key": "save", reason: state.isBusy ? "Saving"
          : problem ?? (isSame ? "Nothing is changed" : state.conflict ? "Decide about the conflict first" : null) }),
        button("Cancel", () => current.close(), { "data-key": "cancel" }),
        copyButton(context, "Copy as command", () => commandOf(context.store, bodyOf(resource, state)), "edit")),
    ]
  } })
}

/** The process that makes the change of a value, and its type there. */
const typeOf = (context, resource) => (context.store.resources.get(resource.id) ?? resource).file?.editor

function check(state, editor = null) {
  try {
    const value = parseTyped(state.text)
    return { value, problem: editor ? null : shapeProblem(value, valueAt(state.base, state.place)) }
  } catch (error) {
    return { problem: `This is not JSON: ${error.message}.` }
  }
}

function bodyOf(resource, { version, place, text }) {
  let value = null
  try { value = parseTyped(text) } catch { /* An incomplete text has no value yet; `check` shows the reason. */ }
  return place === "" ? { action: "value.set", r: resource.id, version, value }
    : { action: "value.edit", r: resource.id, version, path: place, value }
}

function typeView(editor) {
  return editor ? make("p", { class: "muted", "data-key": "editor" },
    `${editor.process} makes the change, as a value of its type `, make("code", {}, editor.type), ".") : null
}

function placePicker(places, state, changed, resource) {
  if (places.length < 2) return null
  return make("p", { class: "field", "data-key": "place" }, make("label", { for: "value-place" }, "Place"),
    make("select", { id: "value-place", "data-edited": true,
      change: event => { state.place = event.target.value; changed() } },
      places.map(place => make("option", { value: place, selected: place === state.place },
        place || `all of ${resource.name ?? "it"}`))))
}

/** The value that another process wrote while this one was edited. */
function conflictOf(context, resource, state) {
  const latest = context.store.resources.get(resource.id)
  const { theirs, version } = state.failure.rest
  const value = theirs ?? latest?.value
  return { theirs: value, version: version ?? latest?.version }
}

function conflictView(state, dialog) {
  const { theirs, version } = state.conflict
  const choose = isMine => {
    Object.assign(state, { base: theirs, version, conflict: null, failure: null })
    if (!isMine) Object.assign(state, { text: pretty(valueAt(theirs, state.place)), edition: (state.edition ?? 0) + 1 })
    dialog.refresh()
  }
  const pane = (label, value) => make("div", { class: "pane" }, make("h4", {}, label), value === undefined
    ? make("p", { class: "muted" }, "It no longer exists.") : valueView(value))
  return make("div", { class: "conflict", role: "group", "aria-label": "Conflict" },
    make("p", { class: "warning-text" }, "Another process wrote this value after you opened it. Nothing was saved."),
    make("div", { class: "panes" }, pane("Before", valueAt(state.base, state.place)), pane("Yours", check(state).value),
      pane("Theirs", theirs === undefined ? undefined : valueAt(theirs, state.place))),
    make("div", { class: "actions" }, button("Continue with yours", () => choose(true), { "data-key": "mine",
      reason: theirs === undefined ? "The value no longer exists" : null }),
    button("Continue with theirs", () => choose(false), { "data-key": "theirs",
      reason: theirs === undefined ? "The value no longer exists" : null })))
}
