// Announcements for screen readers: a summary at most every five seconds, and alerts for lost connections and failed
// changes.

import { write } from "./dom.js"
import { counted } from "./format.js"
import { isBad } from "./section-logs.js"

const pause = 5000

export class Voice {
  constructor(store, status, alert) {
    Object.assign(this, { store, status, alert, isSilent: false, counted: 0 })
    setInterval(() => this.summarise(), pause)
  }

  /** Speaks a result politely, before the next summary. */
  say(text) {
    this.isFresh = true
    write(this.status, "")
    setTimeout(() => write(this.status, text), 50)
  }

  /** Interrupts. */
  warn(text) {
    write(this.alert, "")
    setTimeout(() => write(this.alert, text), 50)
  }

  summarise() {
    const { store } = this
    const count = store.timeline.count - this.counted
    this.counted = store.timeline.count
    if (this.isFresh) {
      this.isFresh = false
      return
    }
    if (count <= 0 || this.isSilent || store.isPaused || document.hidden) return
    const stalled = [...store.of("log").values()].flatMap(log => log.log?.consumers ?? []).filter(isBad).length
    write(this.status, [counted(count, "change"), stalled && `${counted(stalled, "consumer")} stalled`].filter(Boolean)
      .join(", "))
  }
}
