// The number of changes in each of the last sixty seconds.

export class Pulse {
  constructor() {
    this.seconds = []
    this.current = { total: 0, shown: 0 }
  }

  /** Counts changes, and how many rows of the timeline they are. */
  count(total, shown) {
    this.current.total += total
    this.current.shown += shown
  }

  /** Ends a second. */
  tick() {
    this.seconds.push(this.current)
    if (this.seconds.length > 60) this.seconds.shift()
    this.current = { total: 0, shown: 0 }
  }

  /** The last whole second. */
  get last() {
    return this.seconds.at(-1) ?? { total: 0, shown: 0 }
  }
}
