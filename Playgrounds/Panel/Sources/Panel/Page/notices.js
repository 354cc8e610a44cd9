// The bar: the connection, the pause, and the mode; the notice below it; results of changes; the rate of changes.

import { button, find, make, mark, morph, write } from "./dom.js"
import { failureView } from "./difference-view.js"
import { counted, duration, moment, number } from "./format.js"
import { help } from "./keys.js"

const disconnected = "Disconnected. The page shows the last known state and reconnects by itself."
const ageOf = connection => duration(Math.max(1, (Date.now() - connection.since) / 1000))

export class Notices {
  constructor(context) {
    this.context = context
    this.line = make("polyline", { class: "line" })
    this.rates = make("p", { class: "rates" })
    find("pulse").append(make("svg",
      { class: "spark", viewBox: "0 0 120 20", preserveAspectRatio: "none", "aria-hidden": "true" }, this.line),
      this.rates)
    find("menu-list").addEventListener("toggle", event => { if (event.newState === "open") this.refreshMenu() })
    setInterval(() => this.tick(), 1000)
  }

  refresh() {
    const { store } = this.context
    const { connection, about, isPaused, recording } = store
    const name = about.name ?? "Inspector"
    write(find("group"), name)
    mark(find("group"), "title", about.directory)
    document.title = `${isPaused ? "Paused: " : connection.state === "lost" ? "Disconnected: " : ""}${name}`
    mark(document.body, "data-state", connection.state)
    mark(document.body, "data-writable", store.isWritable)
    mark(find("pause"), "aria-pressed", String(isPaused))
    find("pause").hidden = recording !== null
    write(find("mode"), !recording && about.writable === false ? "Read-only" : "")
    mark(find("mode"), "title", "Nothing can be changed here. To change it, start the panel with --write.")
    this.refreshLive()
    this.refreshNotice()
  }

  refreshLive() {
    const { store } = this.context
    const { state } = store.connection
    const live = find("live")
    const processes = store.processes.length
    const [tone, text, short] = store.recording ? ["muted", "Recording", ""]
      : store.isPaused ? ["warning", `Paused, ${number(store.held.count)} new`,
        `Paused, ${number(store.held.count)} new`]
        : state === "stopped" ? ["warning", "Stopped", "Stopped"] : state === "live"
          ? ["good", `Live, ${counted(processes, "process", "processes")}`, String(processes)]
          : state === "loading" ? ["muted", "Connecting", ""] : ["error", "Disconnected", ""]
    mark(live, "data-tone", tone)
    morph(live, make("span", { class: "dot", "aria-hidden": "true" }, state === "live" || store.recording ? "●" : "○"),
      make("span", { class: "long" }, ` ${text}`), make("span", { class: "short", "aria-hidden": "true" }, ` ${short}`))
  }

  /** The notice about a recording or a lost connection. */
  refreshNotice() {
    const { store, link, closeRecording } = this.context
    const { connection, recording } = store
    const notice = find("notice")
    notice.hidden = !recording && !["lost", "stopped"].includes(connection.state)
    mark(notice, "data-tone", connection.state === "lost" ? "error" : null)
    if (recording) {
      morph(notice, make("p", {}, make("strong", {}, "Recording"),
        ` of ${store.about.name ?? "a group"}`, recording.exported ? `, exported ${moment(recording.exported)}` : "",
        recording.filter ? `, filtered by “${recording.filter}”` : "",
        `. ${counted(recording.skipped ?? 0, "change")} skipped, ${
          counted(recording.redacted ?? 0, "place")} redacted.`), button("Close the recording", closeRecording))
    } else if (connection.state === "stopped") {
      morph(notice, make("p", {}, make("strong", {}, "Stopped"), ` ${ageOf(connection)} ago. Nothing is recorded.`),
        button("Continue", () => link.open()))
    } else if (connection.state === "lost") {
      if (this.lost !== connection.since) this.context.alert(disconnected)
      this.lost = connection.since
      const rest = connection.until ? Math.max(0, Math.ceil((connection.until - Date.now()) / 1000)) : 0
      morph(notice, make("p", {}, make("strong", {}, "Disconnected"), `. The data is ${ageOf(connection)} old. `,
        make("span", { class: "cause" }, `${connection.failure?.reason ?? ""} `),
        rest ? `The next attempt is in ${rest} s.` : "Connecting…"),
      button("Retry", () => link.retry()))
    } else if (this.lost) {
      this.lost = null
      this.context.voice.say("Connected again")
    }
  }

  /** Shows each second how many changes came. */
  tick() {
    const { store } = this.context
    const { pulse, timeline } = store
    if (store.recording) return write(this.rates, `${counted(timeline.rows.length, "row")} recorded`)
    pulse.tick()
    const { total, shown } = pulse.last
    const top = Math.max(10, ...pulse.seconds.map(second => second.total))
    const totals = [...Array(60 - pulse.seconds.length).fill(0), ...pulse.seconds.map(second => second.total)]
    mark(this.line, "points",
      totals.map((total, index) => `${index * 2 + 1},${(19 - total / top * 18).toFixed(1)}`).join(" "))
    const skipped = total - shown
    const now = `${counted(total, "change")} in 1 s`
    write(this.rates, skipped ? `${now}: ${number(shown)} shown, ${number(skipped)} skipped` : now)
    this.refreshLive()
    if (this.context.filter.terms.some(term => term.since)) this.context.refreshList()
    if (["lost", "stopped"].includes(store.connection.state)) this.refreshNotice()
  }

  /** Shows the result of a change until the next one, or until it is dismissed. */
  toast(text, { undo = null, facts = "", failure = null } = {}) {
    const toast = find("toast")
    clearTimeout(this.timer)
    toast.hidden = false
    mark(toast, "data-tone", failure ? "error" : null)
    const dismiss = () => { toast.hidden = true }
    toast.replaceChildren(make("div", {}, failure ? failureView(failure) : make("p", {}, text),
      facts && !failure ? make("p", { class: "muted" }, facts) : ""),
      make("div", { class: "actions" }, undo ? button("Undo", () => { dismiss(); undo() }) : "",
        button("Dismiss", dismiss)))
    if (!undo && !failure) this.timer = setTimeout(dismiss, 6000)
  }

  refreshMenu() {
    const { context } = this
    const item = (label, action) => make("li", {}, make("button", { type: "button", class: "item", click: () => {
      find("menu-list").hidePopover()
      action()
    } }, label))
    morph(find("menu-list"), make("ul", {}, item("Export the shown data", context.exportRecording),
      item("Open a recording…", context.openRecording),
      context.store.connection.state === "live" ? item("Stop recording", () => context.link.pauseSource()) : null,
      item(context.isPlain ? "Use the scrolling table" : "Use a plain table of 100 rows", context.togglePlain),
      item(context.voice.isSilent ? "Announce changes to screen readers" : "Do not announce changes",
        context.toggleAnnouncements),
      item("Keyboard", help)))
  }
}
