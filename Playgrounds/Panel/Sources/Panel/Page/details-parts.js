// Parts of details.

import { make } from "./dom.js"

/** A list of facts; facts without a value are left out. */
export function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== undefined && value !== null && value !== "")
  return make("dl", { class: "facts" },
    known.map(([name, value]) => make("div", { "data-key": name }, make("dt", {}, name), make("dd", {}, value))))
}

/** A small table; a column whose name begins with `#` holds numbers. */
export function table(caption, columns, rows) {
  const align = columns.map(column => column.startsWith("#") ? "end" : null)
  return make("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": caption, "data-key": caption },
    make("table", { class: "small" }, make("caption", { class: "unseen" }, caption),
      make("thead", {}, make("tr", {},
        columns.map((column, index) => make("th", { scope: "col", class: align[index] }, column.replace(/^#/, ""))))),
      make("tbody", {}, rows.map(row => make("tr", {}, row.map((cell, index) => {
        const { text, tone, label } = cell !== null && typeof cell === "object"
          && "text" in cell ? cell : { text: cell ?? "" }
        return make("td", { class: align[index], "data-tone": tone, title: label },
          text instanceof Node ? text : String(text),
          label ? make("span", { class: "unseen" }, ` ${label}`) : null)
      }))))))
}
