// The borders between the regions: dragged, or moved by the arrow keys. Their places are kept.

import { find, mark } from "./dom.js"

const borders = [
  { id: "divider-sections", name: "--sections", label: "Width of the sections", width: 176, least: 120, most: 320,
    sign: 1 },
  { id: "divider-detail", name: "--detail", label: "Width of the details", width: 400, least: 280, most: 900,
    sign: -1 },
]

export function divide() {
  for (const border of borders) {
    const element = find(border.id)
    const kept = Number(localStorage.getItem(`signals${border.name}`)) || border.width
    for (const [name, value] of [["role", "separator"], ["tabindex", "0"], ["aria-orientation", "vertical"],
      ["aria-label", border.label],
      ["aria-valuemin", border.least], ["aria-valuemax", border.most]]) element.setAttribute(name, value)
    const move = width => {
      border.width = Math.max(border.least, Math.min(border.most, width))
      find("regions").style.setProperty(border.name, `${border.width}px`)
      mark(element, "aria-valuenow", border.width)
      localStorage.setItem(`signals${border.name}`, border.width)
    }
    move(kept)
    element.addEventListener("keydown", event => {
      const step = { ArrowLeft: -16, ArrowRight: 16 }[event.key]
      if (!step) return
      event.preventDefault()
      move(border.width + step * border.sign)
    })
    element.addEventListener("pointerdown", event => drag(event, element, border, move))
  }
}

function drag(event, element, border, move) {
  const [start, width] = [event.clientX, border.width]
  element.setPointerCapture(event.pointerId)
  const follow = event => move(width + (event.clientX - start) * border.sign)
  element.addEventListener("pointermove", follow)
  element.addEventListener("lostpointercapture", () => element.removeEventListener("pointermove", follow),
    { once: true })
}
