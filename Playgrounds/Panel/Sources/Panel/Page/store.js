// Everything that the page knows. Views are called once per frame with the names of the parts that changed.

import { Pulse } from "./pulse.js"
import { Timeline, limit } from "./timeline.js"

export const protocol = 1

const collator = new Intl.Collator("en", { numeric: true })

export class Store {
  constructor() {
    this.listeners = []
    this.dirty = new Set()
    this.isScheduled = false
    this.pulse = new Pulse()
    this.timeline = new Timeline()
    this.connection = { state: "loading", since: Date.now() }
    this.isPaused = false
    this.held = emptyHold()
    this.recording = null
    this.replace({ resources: [], processes: [], problems: [] })
  }

  /** Calls a function with the set of changed parts, at most once per frame. */
  subscribe(listener) {
    this.listeners.push(listener)
  }

  /** Notes a change of a part: `timeline`, `connection`, `pause`, `processes`, `problems`, or a kind. */
  touch(part) {
    this.dirty.add(part)
    if (this.isScheduled) return
    this.isScheduled = true
    requestAnimationFrame(() => {
      const { dirty } = this
      this.dirty = new Set()
      this.isScheduled = false
      for (const listener of this.listeners) listener(dirty)
    })
  }

  /** Takes a snapshot in place of all resources. The timeline stays. */
  replace(snapshot) {
    const { resources = [], processes = [], problems = [], ...about } = snapshot
    this.about = about
    if (this.isPaused) {
      Object.assign(this.held, { snapshot, state: new Map(), lists: {} })
      return
    }
    this.kinds = new Map()
    this.resources = new Map()
    this.unsorted = new Set()
    for (const resource of resources) this.put(resource)
    this.processes = processes
    this.problems = problems
    this.touch("all")
  }

  get isWritable() {
    return this.about.writable === true && !this.recording
  }

  /** A Boolean value that indicates whether there is anything to count yet. */
  get isKnown() {
    return this.about.epoch !== undefined || this.recording !== null
  }

  /** The reason why nothing can be changed, or `null`. */
  get readOnlyReason() {
    if (this.recording) return "A recording cannot be changed"
    if (this.connection.state === "stopped") return "The recording is stopped"
    if (this.connection.state !== "live") return "The panel is not connected"
    return this.isWritable ? null : "Read-only: start with --write"
  }

  /** The resources of a kind by identifier. */
  of(kind) {
    return this.kinds.get(kind) ?? new Map()
  }

  /** The resources of a kind in the order of their names. They are sorted when one is new, not when one changes. */
  sorted(kind) {
    if (this.unsorted.delete(kind))
      this.kinds.set(kind, new Map([...this.of(kind)].sort(([left], [right]) => collator.compare(left, right))))
    return [...this.of(kind).values()]
  }

  put(resource) {
    if (!this.resources.has(resource.id)) this.unsorted.add(resource.kind)
    this.resources.set(resource.id, resource)
    const kind = this.kinds.get(resource.kind)
    if (kind) kind.set(resource.id, resource)
    else this.kinds.set(resource.kind, new Map([[resource.id, resource]]))
    this.touch(resource.kind)
  }

  remove(id) {
    const resource = this.resources.get(id)
    if (!resource) return
    this.resources.delete(id)
    this.kinds.get(resource.kind).delete(id)
    this.touch(resource.kind)
  }

  connect(state, details = {}) {
    const since = state === this.connection.state ? this.connection.since : Date.now()
    this.connection = { ...details, state, since }
    this.touch("connection")
  }

  /** Handles one event of the stream. */
  take(name, data) {
    if (name === "change") {
      this.pulse.count(data.n ?? 1, 1)
      this.hold(() => this.timeline.add(data), data.n ?? 1)
      this.touch("timeline")
    } else if (name === "gap") {
      this.pulse.count(data.skipped, 0)
      this.hold(() => this.skip(data), data.skipped)
      this.touch("timeline")
    } else if (name === "state") {
      if (this.isPaused) this.holdState(data)
      else this.apply(data)
    }
  }

  skip(data) {
    this.timeline.skipped += data.skipped
    this.timeline.count += data.skipped
    // Sampling is usual and only counted; lost frames are a hole in the timeline, and get a row.
    if (data.reason !== "sampled") this.timeline.note("", Date.now() / 1000, data.skipped)
  }

  apply({ resources = [], removed = [], processes, problems }) {
    for (const id of removed) this.remove(id)
    for (const resource of resources) this.put(resource)
    if (processes) this.set("processes", processes)
    if (problems) this.set("problems", problems)
  }

  set(name, value) {
    this[name] = value
    this.touch(name)
  }

  /** Does it now, or when the pause ends. */
  hold(action, count) {
    if (!this.isPaused) return action()
    this.held.count += count
    this.held.actions.push(action)
    // The timeline would not keep earlier ones either.
    if (this.held.actions.length > 2 * limit) this.held.actions.splice(0, limit)
    this.touch("pause")
  }

  /** Keeps only the latest state of each resource. */
  holdState({ resources = [], removed = [], processes, problems }) {
    for (const id of removed) this.held.state.set(id, null)
    for (const resource of resources) this.held.state.set(resource.id, resource)
    Object.assign(this.held.lists, processes && { processes }, problems && { problems })
  }

  /** Freezes the views, or shows the changes that came in between. */
  pause(isPaused) {
    if (isPaused === this.isPaused) return
    this.isPaused = isPaused
    if (!isPaused) this.release()
    this.touch("pause")
  }

  release() {
    const { actions, snapshot, state, lists } = this.held
    this.held = emptyHold()
    for (const action of actions) action()
    if (snapshot) this.replace(snapshot)
    for (const [id, resource] of state) resource ? this.put(resource) : this.remove(id)
    for (const [name, value] of Object.entries(lists)) this.set(name, value)
    this.touch("timeline")
  }
}

function emptyHold() {
  return { actions: [], count: 0, snapshot: null, state: new Map(), lists: {} }
}
