// The first or latest hundred rows as a plain table, for screen readers that lose their place in a virtual one.

import { make } from "./dom.js"
import { counted } from "./format.js"

const most = 100

export function plainTable(section, items, open) {
  const shown = section.isLive ? items.slice(-most).reverse() : items.slice(0, most)
  const which = items.length > most
    ? `${section.isLive ? "The latest" : "The first"} ${most} of ${counted(items.length, "row")}`
    : counted(items.length, "row")
  return make("div", { class: "plain-table", "data-key": "plain" },
    make("table", {},
      make("caption", {}, `${section.name}. ${which}.`),
      make("thead", {}, make("tr", {}, section.columns.map(column => make("th", { scope: "col" }, column.label)))),
      make("tbody", {}, shown.map(item => row(section, item, open)))))
}

function row(section, item, open) {
  const texts = section.cells(item).map(cell => typeof cell === "object" && cell ? cell.label ?? cell.text : cell ?? "")
  const opener = section.opener ?? 0
  return make("tr", { "data-key": item.key },
    texts.map((text, index) => make("td", {}, index === opener && section.open(item)
    ? make("button", { type: "button", class: "plain", click: () => open(item) }, String(text) || "Open")
      : String(text))))
}
