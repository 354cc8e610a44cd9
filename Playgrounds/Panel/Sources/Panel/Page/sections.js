// The sections in the order of their keys. Each says which rows it has and how a row looks, wide and as a card.

import { databases } from "./section-databases.js"
import { environments, sessions } from "./section-environments.js"
import { files, suites } from "./section-files.js"
import { flags } from "./section-flags.js"
import { graph } from "./section-graph.js"
import { locks } from "./section-locks.js"
import { logs } from "./section-logs.js"
import { others, problems } from "./section-others.js"
import { presence } from "./section-presence.js"
import { timeline } from "./section-timeline.js"

export const sections = [timeline, files, suites, logs, locks, databases, flags, environments, sessions, presence,
  graph,
  others, problems]

/** The sections that the bar of a narrow window has room for. */
export const primary = new Set(["timeline", "files", "logs", "flags"])

export function sectionNamed(id) {
  return sections.find(section => section.id === id) ?? timeline
}

/** The section in which a resource is listed. */
export function sectionOf(kind) {
  return sections.find(section => section.kinds.includes(kind)) ?? others
}
