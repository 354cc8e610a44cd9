// A table that holds only the rows that can be seen, and ten more on each side.

import { fill, make, mark, write } from "./dom.js"
import { number } from "./format.js"

const beyond = 10
export const isNarrow = matchMedia("(max-width: 639px)")
const isCoarse = matchMedia("(pointer: coarse)")

export class Rows {
  /** Shows the rows of a section; `open` is called with the row that a person opens. */
  constructor(section, { open, label }) {
    Object.assign(this, { section, open, items: [], known: 0, active: null, isAtEnd: true, mounted: new Map(),
      pool: [] })
    this.header = make("div", { role: "row", class: "row heading", "aria-rowindex": 1 })
    this.space = make("div", { class: "space", role: "rowgroup" })
    this.grid = make("div", { role: "grid", class: "rows", id: "list", tabindex: "0", "aria-label": label,
      "aria-colcount": section.columns.length, scroll: () => this.scrolled(), keydown: event => this.key(event),
      focus: () => this.focused(), pointerdown: event => this.press(event), click: event => this.click(event) },
      make("div", { role: "rowgroup", class: "headings" }, this.header), this.space)
    this.newest = make("button", { type: "button", class: "button newest", hidden: true, click: () => this.toEnd() },
      "Newest")
    this.element = make("div", { class: "table" }, this.grid, section.isLive ? this.newest : null)
    this.resizing = new ResizeObserver(() => this.fit())
    this.resizing.observe(this.grid)
    this.shape = () => this.reshape()
    for (const query of [isNarrow, isCoarse]) query.addEventListener("change", this.shape)
    this.reshape()
  }

  destroy() {
    this.resizing.disconnect()
    for (const query of [isNarrow, isCoarse]) query.removeEventListener("change", this.shape)
  }

  /** Makes the rows anew, as high as fingers or a pointer need them. */
  reshape() {
    this.height = isNarrow.matches || isCoarse.matches ? 44 : 28
    this.isCard = isNarrow.matches
    mark(this.grid, "data-cards", this.isCard)
    this.grid.style.setProperty("--height", `${this.height}px`)
    this.space.replaceChildren()
    this.mounted.clear()
    this.pool = []
    this.columns = null
    this.fit()
  }

  /** Shows the columns for which there is room; the least important columns disappear first. */
  fit() {
    const width = this.grid.clientWidth
    const shown = this.section.columns.map((column, index) => index)
      .filter(index => (this.section.columns[index].from ?? 0) <= width)
    if (this.columns?.join() !== shown.join()) {
      this.columns = shown
      const columns = shown.map(index => this.section.columns[index])
      this.grid.style.setProperty("--columns", columns.map(column => column.width).join(" "))
      fill(this.header, columns.map((column, place) =>
        make("span", { role: "columnheader", "aria-colindex": shown[place] + 1,
        class: column.align ?? "" }, column.label)))
      this.space.replaceChildren()
      this.mounted.clear()
      this.pool = []
    }
    this.layout()
  }

  /** Shows these rows. `trimmed` rows disappeared from the front since the last time. */
  set(items, trimmed = 0) {
    const added = items.length - this.known + trimmed
    Object.assign(this, { items, known: items.length })
    mark(this.grid, "aria-rowcount", items.length + 1)
    const isShown = this.grid.clientHeight > 0
    if (trimmed && !this.isAtEnd && isShown) this.grid.scrollTop -= trimmed * this.height
    if (this.section.isLive && added > 0 && !this.isAtEnd) this.missed = (this.missed ?? 0) + added
    this.layout()
  }

  layout() {
    this.space.style.height = `${this.items.length * this.height}px`
    if (this.section.isLive && this.isAtEnd) this.grid.scrollTop = this.grid.scrollHeight
    this.render()
  }

  scrolled() {
    const { grid } = this
    if (!grid.clientHeight) return
    this.isAtEnd = grid.scrollTop + grid.clientHeight >= grid.scrollHeight - this.height / 2
    if (this.isAtEnd) this.missed = 0
    if (!this.isRendering) {
      this.isRendering = true
      requestAnimationFrame(() => { this.isRendering = false; this.render() })
    }
  }

  toEnd() {
    this.isAtEnd = true
    this.missed = 0
    this.layout()
    this.grid.focus()
  }

  render() {
    const { grid, items, height } = this
    const top = Math.max(0, Math.floor(grid.scrollTop / height) - beyond)
    const end = Math.min(items.length, Math.ceil((grid.scrollTop + grid.clientHeight) / height) + beyond)
    const wanted = new Map()
    for (let index = top; index < end; index++) wanted.set(items[index].key, index)
    // A screen reader loses its place if the row that it reads disappears.
    const active = this.activeIndex
    if (active >= 0) wanted.set(this.active, active)
    for (const [key, row] of this.mounted) {
      if (wanted.has(key)) continue
      this.mounted.delete(key)
      row.element.hidden = true
      this.pool.push(row)
    }
    for (const [key, index] of wanted) this.place(key, index)
    mark(grid, "aria-activedescendant", active >= 0 ? this.mounted.get(this.active).element.id : null)
    if (this.section.isLive) {
      this.newest.hidden = this.isAtEnd || !items.length
      write(this.newest, this.missed ? `${number(this.missed)} new ↓` : "Newest ↓")
    }
  }

  place(key, index) {
    const item = this.items[index]
    let row = this.mounted.get(key)
    if (!row) {
      row = this.pool.pop() ?? this.makeRow()
      row.element.hidden = false
      row.item = null
      this.mounted.set(key, row)
    }
    if (row.index !== index) {
      row.index = index
      row.element.style.transform = `translateY(${index * this.height}px)`
      mark(row.element, "aria-rowindex", index + 2)
    }
    const revision = this.section.revision?.(item)
    if (row.item !== item || row.revision !== revision) {
      Object.assign(row, { item, revision })
      this.write(row, item)
    }
    mark(row.element, "aria-selected", key === this.active ? "true" : "false")
  }

  makeRow() {
    const cells = this.isCard ? ["title", "end", "sub"].map(name => make("span", { role: "gridcell", class: name }))
      : this.columns.map(index =>
        make("span", { role: "gridcell", "aria-colindex": index + 1, class: this.section.columns[index].align ?? "" }))
    Rows.made = (Rows.made ?? 0) + 1
    const element = make("div", { role: "row", class: "row", id: `row-${Rows.made}` }, cells)
    this.space.append(element)
    return { element, cells }
  }

  write(row, item) {
    const all = this.isCard ? this.section.card(item) : this.section.cells(item)
    const cells = this.isCard ? all : this.columns.map(index => all[index])
    mark(row.element, "data-tone", this.section.tone?.(item) ?? null)
    mark(row.element, "data-inset", item.isPart === true)
    cells.forEach((cell, index) => {
      const { text, tone, label } = typeof cell === "object" && cell ? cell : { text: cell ?? "" }
      write(row.cells[index], String(text))
      mark(row.cells[index], "data-tone", tone)
      mark(row.cells[index], "aria-label", label)
    })
  }

  get activeIndex() {
    return this.active === null ? -1 : this.items.findIndex(item => item.key === this.active)
  }

  /** Marks the row of the open resource, if there is one. */
  select(key) {
    if (this.active === key || (this.active ?? "").startsWith(`${key} `)) return
    const index = this.items.findIndex(item => item.key === key)
    if (index >= 0) this.activate(index)
  }

  /** Makes a row the one that keys act on, and shows it. */
  activate(index, { scrolls = true } = {}) {
    if (!this.items.length) return
    const bounded = Math.max(0, Math.min(this.items.length - 1, index))
    this.active = this.items[bounded].key
    if (scrolls) this.reveal(bounded)
    this.render()
  }

  reveal(index) {
    const { grid, height } = this
    const visible = grid.clientHeight - this.header.offsetHeight
    if (index * height < grid.scrollTop) grid.scrollTop = index * height
    else if ((index + 1) * height > grid.scrollTop + visible) grid.scrollTop = (index + 1) * height - visible
    this.scrolled()
  }

  focused() {
    if (this.activeIndex >= 0 || !this.items.length) return
    const first = this.section.isLive
      && this.isAtEnd ? this.items.length - 1 : Math.floor(this.grid.scrollTop / this.height)
    this.activate(first, { scrolls: false })
  }

  /** A row keeps its identity from the press to the release, even if the list moves in between. */
  press(event) {
    this.pressed = this.itemAt(event)
  }

  click(event) {
    const item = this.pressed ?? this.itemAt(event)
    if (!item) return
    this.active = item.key
    this.render()
    this.open(item, { movesFocus: false })
  }

  itemAt(event) {
    const element = event.target.closest(".row")
    for (const row of this.mounted.values()) if (row.element === element) return row.item
    return null
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const page = Math.max(1, Math.floor(this.grid.clientHeight / this.height) - 2)
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }
    const step = steps[event.key]
    if (step !== undefined) {
      const index = this.activeIndex
      this.activate(step === -Infinity ? 0 : step === Infinity ? this.items.length - 1
        : Math.max(0, index) + (index < 0 ? 0 : step))
      event.preventDefault()
    } else if (event.key === "Enter" && this.activeIndex >= 0) {
      this.open(this.items[this.activeIndex], { movesFocus: true })
      event.preventDefault()
    }
  }

  /** The place in the list, to return to it later. */
  get position() {
    return { top: this.grid.scrollTop, isAtEnd: this.isAtEnd, active: this.active }
  }

  restore({ top, isAtEnd, active }) {
    Object.assign(this, { isAtEnd, active })
    if (!isAtEnd) this.grid.scrollTop = top
    this.layout()
  }
}
