// Numbers, times and sizes as people read them.

import { isScalar, pretty, redaction } from "./json.js"

const whole = new Intl.NumberFormat("en-US")
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" })
const minutes = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" })
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" })
const year = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" })

/** A Boolean value that indicates whether a number is a moment that a calendar has. */
const isMoment = at => typeof at === "number" && at > 0 && at < 8e12

/** The text of an unknown number. */
export const unknown = "—"

/** A whole number with separators; zero is `0`, and only an unknown number is a dash. 64-bit numbers come as text. */
export function number(value) {
  if (value === null || value === undefined || value === "") return unknown
  if (typeof value === "string") return /^-?\d+$/.test(value) ? whole.format(BigInt(value)) : value
  return Number.isInteger(value) ? whole.format(value) : String(value)
}

/** A number with its noun. */
export function counted(value, one, many = one + "s") {
  return `${number(value)} ${String(value) === "1" ? one : many}`
}

/** A rate per second. */
export function rate(value) {
  if (value === null || value === undefined) return unknown
  return `${value > 0 && value < 10 ? Number(value).toFixed(1) : number(Math.round(value))}/s`
}

/** The time of day of a moment in seconds since 1970. */
export function time(at) {
  return isMoment(at) ? clock.format(at * 1000) : unknown
}

/** The time of day with thousandths. */
export function exactTime(at) {
  if (!isMoment(at)) return unknown
  return `${clock.format(at * 1000)}.${String(Math.floor(at * 1000) % 1000).padStart(3, "0")}`
}

/** The time of a moment, with its day unless that is today. */
export function moment(at, now = new Date()) {
  if (!isMoment(at)) return unknown
  const date = new Date(at * 1000)
  if (date.toDateString() === now.toDateString()) return clock.format(date)
  return date.getFullYear() === now.getFullYear() ? `${day.format(date)}, ${minutes.format(date)}` : year.format(date)
}

/** A duration in seconds, with one unit or two. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return unknown
  if (seconds < 0) return "0 s"
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  if (seconds < 172800) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86400)} days`
}

/** The age of a moment. */
export function age(at, now = Date.now() / 1000) {
  return isMoment(at) ? duration(Math.max(0, now - at)) : unknown
}

/** A size in bytes. */
export function size(bytes) {
  if (bytes === null || bytes === undefined) return unknown
  let amount = Number(bytes)
  if (amount < 1024) return `${number(amount)} B`
  for (const unit of ["KiB", "MiB", "GiB", "TiB"]) {
    amount /= 1024
    if (amount < 1024 || unit === "TiB") return `${amount.toFixed(amount < 10 ? 1 : 0)} ${unit}`
  }
}

/** A value in one line of at most so many characters. */
export function brief(value, limit = 80) {
  if (value === undefined) return ""
  const text = isLarge(value) ? Array.isArray(value) ? `[${counted(value.length, "element")}]`
    : `{${counted(Object.keys(value).length, "member")}}` : readable(value)
  return text.length > limit ? text.slice(0, limit - 1) + "…" : text
}

function isLarge(value) {
  return !isScalar(value) && (Array.isArray(value) ? value.length : Object.keys(value).length) > 20
}

/** A value in one line; an omitted one as its size. */
function readable(value) {
  if (typeof value?.$omitted === "number") return `(${size(value.$omitted)}, not shown)`
  if (typeof value?.$blob === "number") return `(${size(value.$blob)} of data)`
  return value === redaction ? value : pretty(value, 0)
}

/** The name without its kind; the only one of a kind has no other name. */
export function shortName(id) {
  return id.slice(id.indexOf("/") + 1) || id.replace("/", "")
}

/** The beginning of a version, enough to distinguish two of them. */
export const short = version => version.length > 12 ? version.slice(0, 10) : version
