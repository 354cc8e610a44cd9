// A recording: all shown data as one JSON file, which this page opens again, also without a server.

import { Failure } from "./api.js"
import { passes } from "./filter.js"
import { isRecording } from "./shape.js"
import { sections } from "./sections.js"
import { timeline } from "./section-timeline.js"
import { Timeline } from "./timeline.js"
import { protocol } from "./store.js"

const largest = 64 * 1024 * 1024

/** The recording of the rows that pass the filter. */
export function recorded(store, filter) {
  const listed = sections.flatMap(section => section.id === "timeline" ? [] : section.items(store)
    .filter(item => item.resource && (filter.isEmpty || passes(filter, section.subject(item)))))
  const resources = [...new Set(listed.map(item => item.resource))]
  const changes = store.timeline.rows.filter(row => !row.isNote && passes(filter, timeline.subject(row)))
    .map(({ place, key, first, revision, index, ...change }) => change)
  return { signalsRecording: 1, protocol,
    snapshot: { ...store.about, resources, processes: store.processes, problems: store.problems }, changes,
    filter: filter.text, from: changes[0]?.at ?? null, to: changes.at(-1)?.at ?? null, exported: Date.now() / 1000,
    skipped: store.timeline.skipped,
    redacted: resources.reduce((sum, resource) => sum + (resource.redacted?.length ?? 0), 0) }
}

/** Saves a recording as a file. */
export function save(store, filter) {
  const text = JSON.stringify(recorded(store, filter), null, 1)
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }))
  const name = (store.about.name ?? "signals").replace(/[^\w.-]+/g, "-")
  const link = document.createElement("a")
  link.href = address
  link.download = `${name}-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}.recording.json`
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
  return link.download
}

/** Reads a recording, and throws a `Failure` if the file is none. */
export async function open(file) {
  const operation = "Open the recording"
  const refuse = (cause, remedy = "Choose a file that this page exported.") => {
    throw new Failure({ operation, path: file.name, cause, remedy })
  }
  if (file.size > largest) refuse("The file is larger than 64 MiB.", "Export it again with a filter.")
  let data
  try {
    data = JSON.parse(await file.text())
  } catch (error) {
    refuse(`The file is not JSON: ${error.message}.`)
  }
  if (data?.signalsRecording !== 1) refuse(data?.signalsRecording ? "A newer panel wrote the recording."
    : "The file is not a recording.")
  if (!isRecording(data)) refuse("The recording is damaged.")
  return data
}

/** Shows a recording in place of the server's data. */
export function play(store, data) {
  store.pause(false)
  store.timeline = new Timeline()
  store.recording = data
  store.replace(data.snapshot)
  data.changes.forEach(change => store.timeline.push({ n: 1, ...change, first: change.at, revision: 0 }))
  store.timeline.skipped = Number(data.skipped) || 0
  store.connect("recording")
}
