// Server-sent events by `fetch`, because `EventSource` cannot send the token.

import { Failure, send } from "./api.js"

/** Seconds of silence after which a connection counts as lost; the server sends a comment every five. */
const silence = 15
const [firstPause, longestPause] = [0.5, 15]

/** A stream that reconnects, continues where it stopped, and reports its state. */
export class Stream {
  /** Calls `event(name, data, id)` for events, `state(name, details)` for new states, `alive()` for received bytes. */
  constructor({ event, state, alive }) {
    Object.assign(this, { event, state, alive, last: null, attempt: 0, run: 0, controller: null, timer: null,
      isStopped: true })
  }

  /** Connects, and continues after the event `last`. */
  start(last) {
    this.stop()
    Object.assign(this, { last, attempt: 0, isStopped: false })
    this.connect(this.run)
  }

  stop() {
    this.isStopped = true
    this.run += 1
    this.controller?.abort()
    clearTimeout(this.timer)
    clearTimeout(this.watch)
  }

  /** Connects now instead of after the pause. */
  retry() {
    if (this.isStopped || this.controller) return
    clearTimeout(this.timer)
    this.connect(this.run)
  }

  async connect(run) {
    const controller = new AbortController()
    this.controller = controller
    let failure = null
    try {
      this.listen()
      const headers = { Accept: "text/event-stream", ...(this.last && { "Last-Event-ID": this.last }) }
      const answer = await send("/api/events", { operation: "Follow the changes", signal: controller.signal, headers })
      if (run !== this.run) return
      this.state("live")
      await this.receive(answer.body.getReader(), run)
    } catch (error) {
      failure = error instanceof Failure ? error : new Failure({ operation: "Follow the changes", path: "/api/events",
        cause: error.name === "AbortError" ? "The server was silent for 15 s." : "The connection broke." })
    }
    if (run !== this.run) return
    clearTimeout(this.watch)
    this.controller = null
    if (failure?.status === 401) {
      this.isStopped = true
      this.state("refused", { failure })
    } else this.waitAndConnect(run, failure)
  }

  waitAndConnect(run, failure) {
    // Half of the pause is random, so that many pages do not return at once.
    const pause = Math.min(longestPause, firstPause * 2 ** this.attempt) * (0.5 + Math.random() / 2)
    this.attempt += 1
    this.state("lost", { failure, until: Date.now() + pause * 1000 })
    this.timer = setTimeout(() => this.connect(run), pause * 1000)
  }

  /** Reports silence as a lost connection. */
  listen() {
    clearTimeout(this.watch)
    this.watch = setTimeout(() => this.controller?.abort(), silence * 1000)
  }

  async receive(reader, run) {
    const decoder = new TextDecoder()
    const parser = new EventParser((name, data, id) => {
      if (id) this.last = id
      this.attempt = 0
      this.event(name, data, id)
    })
    for (;;) {
      const { done, value } = await reader.read()
      if (run !== this.run) return void reader.cancel().catch(() => {})
      if (done) return
      this.listen()
      this.alive?.()
      parser.take(decoder.decode(value, { stream: true }))
    }
  }
}

/** Cuts a stream of text into events. */
class EventParser {
  constructor(emit) {
    Object.assign(this, { emit, rest: "", name: "", data: [], id: null })
  }

  take(text) {
    const lines = (this.rest + text).split("\n")
    this.rest = lines.pop()
    for (const line of lines) this.line(line.endsWith("\r") ? line.slice(0, -1) : line)
  }

  line(line) {
    if (line === "") return this.finish()
    const colon = line.indexOf(":")
    if (colon === 0) return
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1))
    if (field === "event") this.name = value
    else if (field === "data") this.data.push(value)
    else if (field === "id") this.id = value
  }

  finish() {
    if (this.data.length) {
      const text = this.data.join("\n")
      let value
      try {
        value = JSON.parse(text)
      } catch (error) {
        console.warn("An event is not JSON and was ignored:", error.message)
      }
      if (value !== undefined) this.emit(this.name || "message", value, this.id)
    }
    Object.assign(this, { name: "", data: [], id: null })
  }
}
