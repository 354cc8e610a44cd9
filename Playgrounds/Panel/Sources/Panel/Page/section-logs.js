// Logs and their consumers, each with its lag.

import { counted, duration, number, rate } from "./format.js"
import { isFaulty, itemOf, nameOf, statusCell, subjectOf } from "./section-parts.js"

const stateTones = { "caught up": "good", behind: "warning", stalled: "error", dead: "error", idle: "muted",
  unknown: "warning" }
const parts = new WeakMap()

/** The rows of a log: its own, and one for each consumer. */
function rowsOf(log) {
  let rows = parts.get(log)
  if (!rows) {
    const consumers = log.log?.consumers ?? []
    rows = [itemOf(log), ...consumers.map(consumer => (
      { key: `${log.id} ${consumer.name}`, resource: log, consumer, isPart: true }))]
    parts.set(log, rows)
  }
  return rows
}

/** The state of a consumer as a cell. An error of the consumer comes first. */
export function stateCell(consumer) {
  if (consumer.error) return { text: "error", tone: "error", label: consumer.error }
  if (consumer.loss) return { text: `${consumer.state}, lost events`, tone: "error" }
  const since = ["stalled", "dead"].includes(consumer.state) && consumer.since ? ` ${duration(consumer.since)}` : ""
  return { text: consumer.state + since, tone: stateTones[consumer.state] ?? "warning" }
}

/** The lag: `0` if it is zero, and a dash with the reason if it is unknown. */
export function lagCell(consumer) {
  if (consumer.lag !== undefined && consumer.lag >= 0) return { text: number(consumer.lag),
    tone: consumer.lag ? null : "muted" }
  return { text: "—", tone: "muted",
    label: `unknown: ${consumer.reason ?? consumer.error ?? "the reason is not known"}` }
}

export function isBad(consumer) {
  return Boolean(consumer.error || consumer.loss) || consumer.state === "stalled" || consumer.state === "dead"
}

function summary(log) {
  const { producers = [], consumers = [] } = log.log ?? {}
  return `${counted(producers.length, "producer")}, ${counted(consumers.length, "consumer")}`
}

export const logs = {
  id: "logs", name: "Logs", kinds: ["log"], parts: ["log"],
  columns: [{ label: "Log, consumer", width: "minmax(7rem, 1fr)" }, { label: "State", width: "minmax(6rem, 0.8fr)" },
    { label: "Cursor", from: 620, width: "5.5rem", align: "end" },
    { label: "End", from: 820, width: "5.5rem", align: "end" },
    { label: "Lag", width: "4.6rem", align: "end" },
    { label: "Oldest unread", from: 700, width: "6.4rem", align: "end" },
    { label: "Rate", from: 900, width: "4.4rem", align: "end" },
    { label: "Empty in", from: 980, width: "4.6rem", align: "end" }],
  items: store => store.sorted("log").flatMap(rowsOf),
  count: store => store.of("log").size,
  alerts: store => [...store.of("log").values()]
    .reduce((sum, log) => sum + (isFaulty(log) ? 1 : 0) + (log.log?.consumers ?? []).filter(isBad).length, 0),
  subject: ({ resource, consumer }) => consumer
    ? { ...subjectOf(resource, consumer.name), proc: consumer.process, status: consumer.state,
      text: `${resource.id} ${consumer.name} ${consumer.state}` } : subjectOf(resource),
  cells({ resource, consumer }) {
    if (!consumer) {
      const state = isFaulty(resource) ? statusCell(resource) : { text: summary(resource), tone: "muted" }
      return [nameOf(resource), state, "", number(resource.log?.end), "", "",
        resource.rate?.s1 ? rate(resource.rate.s1) : "", ""]
    }
    return [consumer.name, stateCell(consumer), number(consumer.cursor), number(consumer.end), lagCell(consumer),
      consumer.oldest === undefined ? "" : duration(consumer.oldest), consumer.reads ? rate(consumer.reads) : "",
      consumer.empty === undefined ? "" : duration(consumer.empty)]
  },
  card({ resource, consumer }) {
    if (!consumer) return [nameOf(resource), number(resource.log?.end),
      isFaulty(resource) ? statusCell(resource) : summary(resource)]
    const state = stateCell(consumer)
    const lag = lagCell(consumer)
    return [consumer.name, { ...lag, text: lag.text === "—" ? lag.text : `lag ${lag.text}` }, state]
  },
  open: item => ({ open: item.resource.id }),
  empty: ["No log",
    "Events that processes pass on appear here, with each consumer's lag: AppGroupsLog(\"inbox\", in: container)."],
}

