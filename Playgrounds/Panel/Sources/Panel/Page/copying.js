// Copying to the clipboard.

import { button } from "./dom.js"

export async function copy(context, text, what) {
  try {
    await navigator.clipboard.writeText(text)
    context.say(`Copied ${what}.`)
  } catch {
    context.say(`The browser did not allow copying ${what}.`)
  }
}

/** A button that copies a text, made when it is pressed. */
export function copyButton(context, label, text, key) {
  return button(label, () => copy(context, text(), label.replace(/^Copy (as )?/, "the ")),
    { "data-key": `copy-${key}` })
}
