// The keyboard. Single keys work outside of fields, letters only in a list. All of them can be turned off.

import { isTyping, make } from "./dom.js"
import { show } from "./dialog.js"

export const settings = {
  get areOn() { return localStorage.getItem("signals.keys") !== "off" },
  set areOn(value) { localStorage.setItem("signals.keys", value ? "on" : "off") },
}

const all = [["/", "Filter"], ["j, ↓", "Next row"], ["k, ↑", "Previous row"], ["Enter", "Open the row"],
  ["Esc", "Back"],
  ["Space", "Pause or resume"], ["1 – 9", "Section"], ["e", "Edit the open value"], ["c", "Copy as command"],
  ["?", "This help"]]

export function listen(actions) {
  addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented
      || document.querySelector("dialog[open]")) return
    if (event.key === "Escape") return void actions.back(event)
    if (isTyping(event.target) || !settings.areOn) return
    const isInList = event.target.closest?.(".rows") !== null
    const action = isInList ? inList(event.key, actions) ?? anywhere(event, actions) : anywhere(event, actions)
    if (!action) return
    event.preventDefault()
    action()
  })
}

function inList(key, actions) {
  return { j: () => actions.move(1), k: () => actions.move(-1), e: actions.edit, c: actions.copy }[key]
}

function anywhere(event, actions) {
  if (event.key === "/") return actions.filter
  if (event.key === "?") return actions.help
  if (/^[1-9]$/.test(event.key)) return () => actions.section(Number(event.key) - 1)
  // Space presses the button that has the focus.
  if (event.key === " " && !event.target.closest?.("button, summary, a, [role=tab], pre")) return actions.pause
  return null
}

/** Shows all keys, and the switch that turns them off. */
export function help() {
  show({ title: "Keyboard", render: dialog => [
    make("dl", { class: "keys-help" },
      all.map(([key, meaning]) => make("div", {}, make("dt", {}, key.split(", ").map((each, index) => (
      [index ? " " : null, make("kbd", {}, each)]))), make("dd", {}, meaning)))),
    make("p", { class: "muted" }, "Letters work while a list has the focus."),
    make("p", {}, make("label", { for: "keys-on" },
      make("input", { type: "checkbox", id: "keys-on", checked: settings.areOn,
      change: event => { settings.areOn = event.target.checked; dialog.refresh() } }), " Single keys act")),
  ] })
}
