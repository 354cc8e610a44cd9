// The filter: `kind:log proc:app key:theme since:5m -heartbeat`. All terms must match; `-` excludes.

const fields = new Set(["kind", "proc", "key", "since", "status", "op"])
const seconds = { s: 1, m: 60, h: 3600, d: 86400 }

/** Parses a filter. Its `problem` is a sentence if a term has no meaning; that term is left out. */
export function parseFilter(text) {
  const terms = []
  let problem = null
  for (const [, minus, field, quoted, bare] of text.matchAll(/(-?)(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/gi)) {
    const value = (quoted ?? bare).toLowerCase()
    const isExcluded = minus === "-"
    if (field && !fields.has(field.toLowerCase())) {
      problem ??= `There is no field “${field}”. The fields are ${[...fields].join(", ")}.`
    } else if (field?.toLowerCase() === "since") {
      const [, count, unit] = value.match(/^(\d+(?:\.\d+)?)([smhd])$/) ?? []
      if (count) terms.push({ isExcluded, since: count * seconds[unit] })
      else problem ??= `“since:${value}” is no duration. Write it like 30s, 5m, 2h or 1d.`
    } else if (value) {
      terms.push({ isExcluded, field: field?.toLowerCase(), value })
    }
  }
  return { text, terms, problem, isEmpty: !terms.length }
}

/** A Boolean value that indicates whether a subject passes: `{ kind, proc, key, status, op, at, text }`. */
export function passes(filter, subject, now = Date.now() / 1000) {
  for (const term of filter.terms) if (matches(term, subject, now) === term.isExcluded) return false
  return true
}

function matches(term, subject, now) {
  if (term.since) return (subject.at ?? 0) >= now - term.since
  const has = name => (subject[name] ?? "").toLowerCase().includes(term.value)
  if (term.field === "kind") return (subject.kind ?? "").toLowerCase() === term.value.replace(/s$/, "")
    || subject.kind === term.value
  return term.field ? has(term.field) : has("text") || has("key") || has("proc") || has("kind")
}
