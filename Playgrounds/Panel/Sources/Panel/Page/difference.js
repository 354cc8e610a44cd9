// The difference of two JSON values by path: `["+", path, new]`, `["-", path, old]`, `["~", path, old, new]`.

import { equal, escape, isScalar } from "./json.js"

/** The changes that lead from one value to another. */
export function difference(before, after, limit = 200) {
  const found = []
  compare(before, after, "", found, limit)
  return found
}

function compare(before, after, path, found, limit) {
  if (found.length >= limit || equal(before, after)) return
  if (before === undefined) return void found.push(["+", path, after])
  if (after === undefined) return void found.push(["-", path, before])
  if (isScalar(before) || isScalar(after) || Array.isArray(before) !== Array.isArray(after))
    return void found.push(["~", path, before, after])
  if (Array.isArray(before)) return compareArrays(before, after, path, found, limit)
  for (const name of Object.keys(before))
    compare(before[name], Object.hasOwn(after, name) ? after[name] : undefined, `${path}/${escape(name)}`, found, limit)
  for (const name of Object.keys(after))
    if (!Object.hasOwn(before, name)) compare(undefined, after[name], `${path}/${escape(name)}`, found, limit)
}

/** Compares arrays: equal elements at both ends are left out, so that one insertion is one change. */
function compareArrays(before, after, path, found, limit) {
  let [head, tail] = [0, 0]
  while (head < before.length && head < after.length && equal(before[head], after[head])) head++
  const rest = Math.min(before.length, after.length) - head
  while (tail < rest && equal(before[before.length - 1 - tail], after[after.length - 1 - tail])) tail++
  const [oldEnd, newEnd] = [before.length - tail, after.length - tail]
  for (let index = head; index < Math.max(oldEnd, newEnd); index++) {
    const [old, recent] = [index < oldEnd ? before[index] : undefined, index < newEnd ? after[index] : undefined]
    compare(old, recent, `${path}/${index}`, found, limit)
  }
}

/**
 * One difference instead of two that follow each other. It is `null` if something was added or removed, because then
 * the same path may be two places.
 */
export function combined(earlier, later) {
  if (!earlier || !later || [...earlier, ...later].some(change => change[0] !== "~")) return null
  const byPath = new Map(earlier.map(change => [change[1], change]))
  for (const change of later) {
    const first = byPath.get(change[1])
    if (!first) byPath.set(change[1], change)
    else if (equal(first[2], change[3])) byPath.delete(change[1])
    else byPath.set(change[1], ["~", change[1], first[2], change[3]])
  }
  return [...byPath.values()]
}

export const oldOf = change => change[0] === "+" ? undefined : change[2]
export const newOf = change => change[0] === "-" ? undefined : change[0] === "+" ? change[2] : change[3]
