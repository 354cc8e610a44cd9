// The state of the page in the fragment of its address, so that a reload or a copied address shows the same.

export class Address {
  constructor() {
    this.listeners = []
    this.read()
    addEventListener("popstate", () => this.move())
    addEventListener("hashchange", () => this.move())
  }

  /** Calls a function whenever the state changes, with the previous state. */
  subscribe(listener) {
    this.listeners.push(listener)
  }

  read() {
    const given = new URLSearchParams(location.hash.slice(1))
    const { section = "timeline", filter = "", open = "", tab = "", row = "" } = Object.fromEntries(given)
    this.state = { section, filter, open, tab, row }
  }

  move() {
    const before = this.state
    this.read()
    this.notify(before)
  }

  notify(before) {
    if (Object.keys(this.state).some(name => this.state[name] !== before[name]))
      for (const listener of this.listeners) listener(this.state, before)
  }

  /** Changes a part of the state. A step to another place adds an entry to the browser's history; typing adds none. */
  go(change, { replaces = false } = {}) {
    const before = this.state
    this.state = { ...before, ...change }
    const kept = Object.entries(this.state)
      .filter(([name, value]) => value && !(name === "section" && value === "timeline"))
    const text = new URLSearchParams(kept).toString().replaceAll("%2F", "/").replaceAll("%3A", ":")
    const address = location.pathname + (text ? "#" + text : "")
    if (address !== location.pathname + location.hash) {
      if (replaces) history.replaceState(history.state, "", address)
      else history.pushState({ isOpening: !before.open && this.state.open !== "" }, "", address)
    }
    this.notify(before)
  }

  /** Closes the open resource, by a step back in the browser's history if that leads to the list. */
  close() {
    if (history.state?.isOpening) history.back()
    else this.go({ open: "", row: "", tab: "" })
  }
}
