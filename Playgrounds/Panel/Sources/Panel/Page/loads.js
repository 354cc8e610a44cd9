// Data that is read on request: long values, the events of a log, the rows of a table.

import { read } from "./api.js"
import { asFailure } from "./change.js"
import { failureView } from "./difference-view.js"
import { make } from "./dom.js"

/** Seconds between two requests for the same thing that changes all the time. */
const pause = 1

export class Loads {
  constructor(store, refresh) {
    Object.assign(this, { store, refresh, known: new Map() })
  }

  /** The latest answer, which is asked for if there is none or if the stamp differs. */
  get(path, stamp, operation) {
    let load = this.known.get(path)
    if (!load) {
      if (this.known.size > 50) this.known.clear()
      this.known.set(path, load = { data: null, failure: null, stamp: undefined, asked: -Infinity })
    }
    if (!load.isLoading && load.stamp !== stamp && !this.store.recording) this.ask(load, path, stamp, operation)
    return load
  }

  ask(load, path, stamp, operation) {
    const rest = load.asked + pause * 1000 - performance.now()
    if (rest > 0) {
      load.timer ??= setTimeout(() => { load.timer = null; this.refresh() }, rest)
      return
    }
    Object.assign(load, { isLoading: true, stamp, asked: performance.now() })
    read(path, { operation }).then(data => Object.assign(load, { data, failure: null }),
      error => Object.assign(load, { failure: asFailure(error, operation) }))
      .then(() => { load.isLoading = false; this.refresh() })
  }

  /** Forgets an answer, so that it is asked for again. */
  again(path) {
    this.known.delete(path)
    this.refresh()
  }
}

/** The view of an answer: a skeleton until it is there, the failure, or the view of its data. */
export function loadView(context, path, stamp, operation, view) {
  if (context.store.recording) return make("p", { class: "muted" }, "A recording does not contain this.")
  const load = context.loads.get(path, stamp, operation)
  if (load.failure?.code === "invalid") return make("p", { class: "muted" }, load.failure.reason)
  if (load.failure) return failureView(load.failure, () => context.loads.again(path))
  return load.data ? view(load.data) : make("div", { class: "skeleton", "aria-label": "Loading" })
}
