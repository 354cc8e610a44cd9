// The page: its parts, and the context that they share.

import { Address } from "./address.js"
import { asFailure, attempt } from "./change.js"
import { commandFor } from "./command.js"
import { copy } from "./copying.js"
import { Detail } from "./detail.js"
import { failureView } from "./difference-view.js"
import { button, find, make, mark, write } from "./dom.js"
import { edit } from "./editor.js"
import { parseFilter } from "./filter.js"
import { short } from "./format.js"
import * as keys from "./keys.js"
import { Link } from "./link.js"
import { List } from "./list.js"
import { Loads } from "./loads.js"
import { Navigation } from "./navigation.js"
import { Notices } from "./notices.js"
import * as recording from "./recording.js"
import { divide } from "./regions.js"
import { isNarrow } from "./rows.js"
import { sectionNamed, sectionOf, sections } from "./sections.js"
import { Store } from "./store.js"
import { adopt } from "./token.js"
import { Voice } from "./voice.js"

adopt()
const store = new Store()
const link = new Link(store)
const address = new Address()
const voice = new Voice(store, find("status"), find("alert"))
const detail = () => parts.detail.refresh()
const loads = new Loads(store, detail)

const context = {
  store, link, address, loads, voice, filter: parseFilter(address.state.filter),
  refreshDetail: detail,
  refreshList: () => parts.list.refresh(),
  /** Opens a place of the list. */
  open(place, movesFocus) {
    address.go(place)
    if (movesFocus || isNarrow.matches) parts.detail.focus()
  },
  /** Shows a resource in its section. */
  show(id) {
    const resource = store.resources.get(id)
    address.go({ section: resource ? sectionOf(resource.kind).id : address.state.section, open: id, row: "", tab: "" })
    parts.detail.focus()
  },
  setFilter(text) {
    find("filter").value = text
    address.go({ filter: text }, { replaces: true })
  },
  say(text) {
    voice.say(text)
    parts.notices.toast(text)
  },
  alert: text => voice.warn(text),
  /** Reports the result of a change, and offers to undo it. */
  report(answer) {
    voice.say(answer.message)
    const undo = answer.undo && (() => attempt(context, answer.undo, "Undo the change"))
    const { path, version, process } = answer
    const facts = [path, version && `version ${short(version)}`, process && `by ${process.name} (${process.pid})`]
    parts.notices.toast(answer.message, { undo, facts: facts.filter(Boolean).join(" · ") })
  },
  fail(failure) {
    voice.warn(failure.sentence)
    parts.notices.toast(null, { failure })
  },
  stageFor,
  openRecording,
  closeRecording,
  toggleAnnouncements: () => voice.isSilent = !voice.isSilent,
  togglePlain: () => parts.list.usePlain(!parts.list.isPlain),
  exportRecording: () => context.say(`Exported ${recording.save(store, context.filter)}.`),
  get isPlain() { return parts.list.isPlain },
}

/** The view instead of the list while there is nothing to list, or `null`. */
function stageFor({ state, failure, found }) {
  const opening = button("Open a recording…", openRecording)
  if (state === "refused") return make("div", { class: "stage-text", "data-key": "refused" }, failureView(failure),
    opening)
  if (state === "failed") return make("div", { class: "stage-text", "data-key": "failed" },
    failureView(failure, () => link.open()), opening)
  if (state === "protocol") return make("div", { class: "stage-text", "data-key": "protocol" },
    make("p", { class: "lead" }, "The panel was updated"),
    make("p", {}, `It speaks version ${found} of the protocol, and this page another one.`),
    button("Reload", () => location.reload()))
  return null
}

function openRecording() {
  const input = make("input", { type: "file", accept: ".json,application/json", change: async () => {
    if (input.files.length) await playFile(input.files[0])
  } })
  input.click()
}

async function playFile(file) {
  try {
    const data = await recording.open(file)
    link.close()
    recording.play(store, data)
    address.go({ section: "timeline", open: "", row: "", tab: "", filter: String(data.filter ?? "") })
    context.say(`Opened the recording ${file.name}.`)
  } catch (error) {
    context.fail(asFailure(error, "Open the recording"))
  }
}

function closeRecording() {
  location.reload()
}

function pause() {
  store.pause(!store.isPaused)
  voice.say(store.isPaused ? "Paused" : "Live")
}

/** Returns from the filter or the details to the list. */
function back(event) {
  const { open } = address.state
  if (find("menu-list").matches(":popover-open") || find("more-list").matches(":popover-open")) return
  if (document.activeElement === find("filter")) {
    // The browser would empty the field.
    event.preventDefault()
    find("list")?.focus({ preventScroll: true })
  } else if (open) address.close()
}

function showSection(index) {
  const shown = sections.filter(section => !section.isOptional)
  if (!shown[index]) return
  address.go({ section: shown[index].id, open: "", row: "", tab: "" })
  find("list")?.focus({ preventScroll: true })
}

const opened = () => store.resources.get(address.state.open)
  ?? parts.list.rows.items.find(item => item.key === parts.list.rows.active)?.resource

const parts = {
  list: new List(context), detail: new Detail(find("detail"), context), navigation: new Navigation(context),
  notices: new Notices(context),
}

keys.listen({
  back, pause, help: keys.help, section: showSection,
  filter: () => find("filter").focus(),
  move: step => parts.list.rows.activate(parts.list.rows.activeIndex + step),
  edit: () => opened() && ["file", "suite"].includes(opened().kind) ? edit(context, opened())
    : context.say("Open a file or a suite to edit it."),
  copy: () => opened() ? copy(context, commandFor(store, opened(), address.state.tab), "the command")
    : context.say("Open a row to copy its command."),
})

find("filter").value = address.state.filter
find("filter").addEventListener("input", event => address.go({ filter: event.target.value }, { replaces: true }))
find("pause").addEventListener("click", pause)
find("back").addEventListener("click", back)
find("skip").addEventListener("click", event => { event.preventDefault(); find("list")?.focus() })
addEventListener("dragover", event => event.preventDefault())
addEventListener("drop", event => {
  event.preventDefault()
  if (event.dataTransfer.files.length) playFile(event.dataTransfer.files[0])
})

address.subscribe((state, before) => {
  if (state.filter !== before.filter) {
    if (find("filter").value !== state.filter) find("filter").value = state.filter
    readFilter()
  }
  follow(state, before)
})

function readFilter() {
  context.filter = parseFilter(address.state.filter)
  write(find("filter-problem"), context.filter.problem ?? "")
  mark(find("filter"), "aria-invalid", context.filter.problem ? "true" : null)
  if (parts.list.section) parts.list.refresh()
}

function follow(state, before) {
  mark(document.body, "data-view", state.open ? "detail" : "list")
  mark(document.body, "data-open", Boolean(state.open))
  if (state.section !== before?.section) parts.list.use(sectionNamed(state.section))
  else if (parts.list.graph) parts.list.refresh()
  if (state.open && (state.open !== before?.open || state.row !== before?.row)) parts.list.rows.select(state.row
    || state.open)
  write(find("back-label"), sectionNamed(state.section).name)
  if (!state.open && before?.open) {
    parts.list.rows.layout()
    if (state.section === before.section) find("list")?.focus({ preventScroll: true })
  }
  if (state.open !== before?.open || state.row !== before?.row || state.tab !== before?.tab) parts.detail.render()
  parts.navigation.refresh()
}

/** Shows the changes since the last frame. */
store.subscribe(dirty => {
  const { section } = parts.list
  const isAll = dirty.has("all") || dirty.has("connection")
  if (isAll || dirty.has("pause")) parts.notices.refresh()
  if (isAll || section.parts.some(part => dirty.has(part)) || section.parts.includes("all")) parts.list.refresh()
  if (address.state.open) parts.detail.refresh()
  if (dirty.has("all") && address.state.open) parts.list.rows.select(address.state.row || address.state.open)
  parts.navigation.soon()
})

divide()
readFilter()
follow(address.state, null)
parts.notices.refresh()
setTimeout(() => mark(document.body, "data-slow", true), 200)
link.open()
