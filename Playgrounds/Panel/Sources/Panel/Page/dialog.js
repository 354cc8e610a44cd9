// Dialogs: modal, closed by Escape, and the focus returns to where it was.

import { make, morph } from "./dom.js"

let count = 0

/** Shows a dialog; `render(dialog)` returns its content, and is called again by `dialog.refresh()`. */
export function show({ title, render, style = "" }) {
  count += 1
  const heading = make("h2", { id: `dialog-${count}`, tabindex: "-1" }, title)
  const content = make("div", { class: "content" })
  const element = make("dialog", { class: `dialog ${style}`, "aria-labelledby": heading.id, close: () => {
    element.remove()
    dialog.isOpen = false
    dialog.closed?.()
    if (before?.isConnected) before.focus()
  } }, make("div", { class: "title" }, heading,
    make("button", { type: "button", class: "plain", "aria-label": "Close", click: () => dialog.close() }, "✕")),
    content)
  const before = document.activeElement
  const dialog = { element, isOpen: true, close: () => element.close(), refresh: () => morph(content, render(dialog)) }
  document.body.append(element)
  dialog.refresh()
  element.showModal()
  const first = content.querySelector("[autofocus], input, textarea, select") ?? heading
  first.focus()
  return dialog
}
