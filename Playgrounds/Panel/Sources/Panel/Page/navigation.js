// The sections with their counts: a column, or a bar at the bottom of a narrow window.

import { find, make, morph } from "./dom.js"
import { counted, number } from "./format.js"
import { primary, sections } from "./sections.js"

export class Navigation {
  constructor(context) {
    Object.assign(this, { context, timer: null })
  }

  /** Refreshes at most four times a second: counts that flicker cannot be read. */
  soon() {
    this.timer ??= setTimeout(() => this.refresh(), 250)
  }

  refresh() {
    clearTimeout(this.timer)
    this.timer = null
    const shown = sections.filter(section => !section.isOptional || section.count(this.context.store))
    morph(find("sections"), make("ul", {}, shown.map(section => this.item(section))), this.moreButton(shown))
    const rest = shown.filter(section => !primary.has(section.id))
    morph(find("more-list"), make("ul", {}, rest.map(section => this.item(section))))
  }

  item(section) {
    const { store, address } = this.context
    const isHere = address.state.section === section.id
    const count = section.id === "timeline" || !store.isKnown ? null : section.count(store)
    const alerts = section.alerts?.(store) ?? 0
    return make("li", { "data-key": section.id, "data-primary": primary.has(section.id) },
      make("button", { type: "button", class: "section", "aria-current": isHere ? "page" : null,
        click: () => this.go(section) },
        make("span", { class: "label" }, section.name),
        alerts ? make("span", { class: "alerts" }, make("span", { "aria-hidden": "true" }, `${alerts}!`),
          make("span", { class: "unseen" }, ` ${counted(alerts, "problem")},`)) : null,
        count === null ? null : make("span", { class: "amount", "data-empty": count === 0 }, number(count))))
  }

  moreButton(shown) {
    const { address } = this.context
    const here = shown.find(section => section.id === address.state.section && !primary.has(section.id))
    return make("button", { type: "button", class: "section more", popovertarget: "more-list", "data-key": "more",
      "aria-current": here ? "page" : null }, make("span", { class: "label" }, here ? here.name : "More"))
  }

  go(section) {
    find("more-list").hidePopover?.()
    this.context.address.go({ section: section.id, open: "", row: "", tab: "" })
  }
}
