// One stream for all tabs: a browser opens six connections to a server, and the seventh tab would wait for ever.

import { Stream } from "./stream.js"

const name = "signals-stream"
/** The most messages that wait for the start of this tab. */
const most = 10_000
/** Milliseconds without a message of the leading tab after which another one takes its place. */
const silence = 20_000

/** The stream of this tab: its own if it holds the lock, otherwise the events that the leading tab passes on. */
export class SharedStream {
  constructor({ event, state }) {
    this.own = new Stream({
      event: (name, data, id) => this.pass({ name, data, id }),
      state: (state, details) => this.pass({ state, details }),
      alive: () => this.post({ isAlive: true }),
    })
    Object.assign(this, { event, state, isLeader: false, isFollower: false, hasFollowers: false, wanted: 0, early: [],
      outbox: [], after: null })
    this.channel = typeof BroadcastChannel === "function" && navigator.locks ? new BroadcastChannel(name) : null
    if (this.channel) this.channel.onmessage = ({ data }) => data.forEach(message => this.receive(message))
    this.channel?.postMessage([{ asks: true }])
  }

  /** Follows the events after the event `last`. */
  start(last) {
    this.stop()
    this.last = this.after = last
    const { wanted, early } = this
    this.early = []
    if (!this.channel) return this.own.start(last)
    this.claim({ ifAvailable: true }, lock => lock ? this.lead(wanted) : void this.wait(wanted, early))
  }

  /** Asks for the lock. Another tab may steal it from this one if it believes that this one hangs. */
  claim(options, take) {
    const { wanted } = this
    navigator.locks.request(name, options, take).catch(() => {
      if (wanted !== this.wanted || !this.isLeader) return
      this.own.stop()
      this.isLeader = false
      this.after = this.last
      this.wait(wanted, [])
    })
  }

  /** Follows the leading tab, and takes its place when it closes or hangs. */
  wait(wanted, early) {
    if (wanted !== this.wanted) return
    this.isFollower = true
    this.listen()
    for (const message of early) this.receive(message)
    this.channel.postMessage([{ asks: true }])
    this.claim({}, () => this.lead(wanted))
  }

  /** Takes the place of a tab that is silent for too long. */
  listen() {
    clearTimeout(this.timer)
    const { wanted } = this
    // The pause differs, so that only one of several tabs does it.
    const pause = silence * (1 + Math.random() / 2)
    this.timer = setTimeout(() => this.claim({ steal: true }, () => this.lead(wanted)), pause)
  }

  /** Reads the stream until this tab stops. The lock is held for so long. */
  lead(wanted) {
    if (wanted !== this.wanted || this.isLeader) return
    clearTimeout(this.timer)
    Object.assign(this, { isLeader: true, isFollower: false })
    this.channel.postMessage([{ leads: true }])
    this.own.start(this.last)
    return new Promise(release => this.release = release)
  }

  stop() {
    this.wanted += 1
    clearTimeout(this.timer)
    this.own.stop()
    this.release?.()
    Object.assign(this, { isLeader: false, isFollower: false, release: null })
  }

  retry() {
    if (this.isLeader || !this.channel) this.own.retry()
    else this.channel.postMessage([{ retries: true }])
  }

  /** Handles a message of the own stream, and passes it on to the other tabs. */
  pass(message) {
    if (message.state) this.latest = { state: message.state, until: message.details?.until }
    this.post(message.state ? this.latest : message)
    this.deliver(message)
  }

  /** Sends a message to the other tabs, together with all messages of the same turn. */
  post(message) {
    if (!this.hasFollowers) return
    if (!this.outbox.length) queueMicrotask(() => this.channel.postMessage(this.outbox.splice(0)))
    this.outbox.push(message)
  }

  deliver({ name, data, id, state, details }) {
    if (id) this.last = id
    if (state) this.state(state, details)
    else this.event(name, data)
  }

  receive(message) {
    if (message.leads) {
      this.channel.postMessage([{ asks: true }])
    } else if (message.asks) {
      this.hasFollowers = true
      if (this.isLeader && this.latest) this.channel.postMessage([this.latest])
    } else if (message.retries) {
      if (this.isLeader) this.own.retry()
    } else if (this.isFollower) {
      this.listen()
      this.follow(message)
    } else if (!this.isLeader && this.early.push(message) > most) {
      this.early.splice(0, most / 2)
    }
  }

  /** Handles a message of the leading tab, unless the snapshot of this tab contains it. */
  follow(message) {
    if (message.state) {
      this.state(message.state === "refused" ? "lost" : message.state, { until: message.until })
    } else if (message.name && isAfter(message.id, this.after, message.name === "state")) {
      this.deliver(message)
    }
  }
}

/** A Boolean value that indicates whether an event is later than another; one of another epoch always is. */
function isAfter(id, other, orEqual) {
  const [[epoch, sequence], [otherEpoch, otherSequence]] = [id, other].map(text => (text ?? ":0").split(":"))
  if (epoch !== otherEpoch) return true
  return orEqual ? BigInt(sequence) >= BigInt(otherSequence) : BigInt(sequence) > BigInt(otherSequence)
}
