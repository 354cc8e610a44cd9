// Changes: the server previews them first, reports the result afterwards, and offers to undo it.

import { Failure, read } from "./api.js"
import { copyButton } from "./copying.js"
import { commandOf } from "./command.js"
import { show } from "./dialog.js"
import { differenceView, failureView } from "./difference-view.js"
import { button, make } from "./dom.js"

/** Makes a change, and reports the result. */
export async function perform(context, body, operation) {
  const answer = await read("/api/change", { operation, body })
  context.report(answer)
  return answer
}

/** Makes a change at once, such as turning a flag. A failure is reported, and `null` is returned. */
export async function attempt(context, body, operation) {
  try {
    return await perform(context, body, operation)
  } catch (error) {
    context.fail(asFailure(error, operation))
    return null
  }
}

export function asFailure(error, operation) {
  return error instanceof Failure ? error : new Failure({ operation, cause: String(error?.message ?? error) })
}

/** Asks for the fields of a change, previews its effect, and makes it. */
export function propose(context, { title, operation, body, fields = [], warning = null, isDangerous = false }) {
  const reason = context.store.readOnlyReason
  if (reason) return context.say(reason)
  const state = { values: Object.fromEntries(fields.map(field => [field.name, field.value ?? ""])), preview: null,
    failure: null }
  const complete = () => ({ ...body, ...Object.fromEntries(fields
    .map(({ name }) => [name, state.values[name]]).filter(([, value]) => value !== "")) })
  const missing = () => fields.find(field => field.isNeeded && !state.values[field.name].trim())

  const ask = async isDry => {
    state.isBusy = true
    state.failure = null
    dialog.refresh()
    try {
      const wanted = complete()
      if (isDry) state.preview = await read("/api/change", { operation: title, body: { ...wanted, dryRun: true } })
      else {
        await perform(context, wanted, title)
        dialog.close()
      }
    } catch (error) {
      state.failure = asFailure(error, title)
      state.preview = null
      context.alert(state.failure.sentence)
    }
    state.isBusy = false
    if (dialog.isOpen) dialog.refresh()
  }

  const dialog = show({ title, render: current => [
    warning ? make("p", { class: "warning-text" }, warning()) : null,
    fields.map(field => fieldView(field, state, () => current.refresh())),
    state.preview ? previewView(state.preview) : null,
    state.failure ? failureView(state.failure) : null,
    make("div", { class: "actions" },
      state.preview ? button(state.isBusy ? "Working…" : operation, () => ask(false), {
        style: `button ${isDangerous ? "danger" : "main"}`, reason: state.isBusy ? "Working" : null,
        "data-key": "confirm" })
        : button(state.isBusy ? "Working…" : "Preview", () => ask(true), { style: "button main", "data-key": "preview",
          reason: state.isBusy ? "Working" : missing() ? `Enter a value for “${missing().label}”` : null }),
      button("Cancel", () => current.close(), { "data-key": "cancel" }),
      copyButton(context, "Copy as command", () => commandOf(context.store, complete()), "copy")),
  ] })
  if (!fields.length) ask(true)
}

function fieldView(field, state, refresh) {
  const id = `field-${field.name}`
  return make("p", { class: "field", "data-key": id }, make("label", { for: id }, field.label),
    make("input", { id, value: state.values[field.name], autocomplete: "off", spellcheck: "false", maxlength: 1000,
      "data-edited": true,
      input: event => {
        state.values[field.name] = event.target.value
        state.preview = null
        refresh()
      } }))
}

function previewView(preview) {
  return make("div", { class: "preview" }, make("p", {}, preview.message),
    preview.diff ? differenceView(preview.diff) : null)
}
