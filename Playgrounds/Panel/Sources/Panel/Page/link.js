// The connection between the store and the server: the snapshot first, then the stream, and again when it breaks.

import { Failure, read } from "./api.js"
import { SharedStream } from "./sharing.js"
import { protocol } from "./store.js"
import { token } from "./token.js"

export class Link {
  constructor(store) {
    this.store = store
    this.stream = new SharedStream({
      event: (name, data) => this.take(name, data),
      state: (name, details = {}) => this.follow(name, details),
    })
    this.run = 0
    this.attempt = 0
    this.resets = 0
    this.isFollowing = false
  }

  /** Reads the snapshot, and follows from there. */
  async open() {
    const run = ++this.run
    clearTimeout(this.timer)
    this.stream.stop()
    this.isFollowing = false
    if (!token()) return this.store.connect("refused", { failure: noToken() })
    try {
      const snapshot = await read("/api/snapshot", { operation: "Read the group" })
      if (run !== this.run) return
      if (snapshot.protocol !== protocol) return this.store.connect("protocol", { found: snapshot.protocol })
      this.attempt = 0
      this.start(snapshot)
    } catch (failure) {
      if (run === this.run) this.fail(failure)
    }
  }

  start(snapshot) {
    const { store } = this
    const isReturn = store.about.epoch !== undefined
    store.replace(snapshot)
    if (isReturn) {
      const text = "Connected again. Changes before this row may be missing."
      store.hold(() => store.timeline.note(text, snapshot.at), 0)
      store.touch("timeline")
    }
    store.connect("live")
    this.isFollowing = true
    this.started = performance.now()
    this.stream.start(`${snapshot.epoch}:${snapshot.seq}`)
  }

  fail(failure) {
    if (!(failure instanceof Failure)) failure = new Failure({ operation: "Read the group",
      cause: String(failure.message) })
    if (failure.status === 401) return this.store.connect("refused", { failure })
    const pause = Math.min(15, 0.5 * 2 ** this.attempt) * (0.5 + Math.random() / 2)
    this.attempt += 1
    const state = this.store.about.epoch === undefined ? "failed" : "lost"
    this.store.connect(state, { failure, until: Date.now() + pause * 1000 })
    this.timer = setTimeout(() => this.open(), pause * 1000)
  }

  follow(state, details) {
    if (!this.store.recording) this.store.connect(state, details)
  }

  take(name, data) {
    if (name === "hello") {
      if (data.protocol !== protocol) {
        this.close()
        this.store.connect("protocol", { found: data.protocol })
      } else if (data.epoch !== this.store.about.epoch) this.open()
      else if (data.writable !== this.store.about.writable) {
        this.store.about.writable = data.writable
        this.store.touch("all")
      }
    } else if (name === "reset") this.restart()
    else this.store.take(name, data)
  }

  /** Reads the snapshot again: at once, or after a growing pause if the last time was a moment ago. */
  restart() {
    const isSoon = performance.now() - this.started < 2000
    this.resets = isSoon ? this.resets + 1 : 0
    this.close()
    this.timer = setTimeout(() => this.open(), isSoon ? Math.min(5000, 50 * 2 ** this.resets) : 0)
  }

  /** Ends the recording at its source: the server sends nothing until the page connects again. */
  pauseSource() {
    this.close()
    this.store.connect("stopped")
  }

  /** Connects now. */
  retry() {
    if (this.isFollowing) this.stream.retry()
    else this.open()
  }

  close() {
    this.run += 1
    clearTimeout(this.timer)
    this.stream.stop()
  }
}

function noToken() {
  return new Failure({ status: 401, operation: "Open the panel", cause: "This address has no token.",
    remedy: "Open the address that Playgrounds/Panel/run printed. It ends with #token=…" })
}
