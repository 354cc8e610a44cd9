// JSON values as the protocol sends them: an integer that a Double cannot hold is `{"$number":"…"}`.

const canKeep = typeof JSON.rawJSON === "function"

/** The text in the place of a redacted value. */
export const redaction = "••••••••"

/** A Boolean value that indicates whether a value is an integer with too many digits for a Double. */
function isLong(value) {
  return typeof value?.$number === "string" && Object.keys(value).length === 1
}

/** A Boolean value that indicates whether a value is one number, text, Boolean or null. */
export function isScalar(value) {
  return value === null || typeof value !== "object" || isLong(value) || isOmitted(value)
}

function isOmitted(value) {
  return value !== null && typeof value === "object"
    && (Object.hasOwn(value, "$omitted") || Object.hasOwn(value, "$blob"))
}

/** Parses the JSON that a person typed. No digit of an integer is lost. */
export function parseTyped(text) {
  return JSON.parse(text, (key, value, context) => {
    if (typeof value !== "number" || !Number.isInteger(value) || Number.isSafeInteger(value)) return value
    if (!context) throw new Error("this browser cannot keep all digits of a number with more than 15")
    return /^-?\d+$/.test(context.source) ? { $number: context.source } : value
  })
}

/** The JSON text of a value as people read and edit it. */
export function pretty(value, indentation = 2) {
  return JSON.stringify(value, (key, member) => canKeep && isLong(member) && /^-?\d+$/.test(member.$number)
    ? JSON.rawJSON(member.$number) : member, indentation) ?? ""
}

/** The kind of a value, as messages name it. */
function kindOf(value) {
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  if (isLong(value) || typeof value === "number") return "a number"
  return { string: "text", boolean: "true or false", object: "an object", undefined: "nothing" }[typeof value]
}

/** A Boolean value that indicates whether two values are equal. */
export function equal(left, right) {
  if (left === right) return true
  if (isScalar(left) || isScalar(right)) {
    return left !== undefined && right !== undefined && isScalar(left) && isScalar(right)
      && JSON.stringify(left) === JSON.stringify(right)
  }
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const names = Object.keys(left)
  return names.length === Object.keys(right).length
    && names.every(name => Object.hasOwn(right, name) && equal(left[name], right[name]))
}

/** The first place where a value does not have the shape of another: `null` if its kinds and members are the same. */
export function shapeProblem(value, model, path = "") {
  const place = path || "The value"
  if (model === null || value === null || model === undefined) return null
  if (kindOf(value) !== kindOf(model)) return `${place} is ${kindOf(value)}, but it must stay ${kindOf(model)}.`
  if (isScalar(value)) return null
  if (Array.isArray(value)) {
    const problems = value.map((element, index) => shapeProblem(element, model[0], `${path}/${index}`))
    return problems.find(problem => problem) ?? null
  }
  const missing = Object.keys(model).find(name => !Object.hasOwn(value, name))
  if (missing !== undefined) return `${path}/${escape(missing)} is missing.`
  const added = Object.keys(value).find(name => !Object.hasOwn(model, name))
  if (added !== undefined) return `${path}/${escape(added)} is new, and only the app can add members.`
  const problems = Object.keys(value).map(name => shapeProblem(value[name], model[name], `${path}/${escape(name)}`))
  return problems.find(problem => problem) ?? null
}

/** A name as one part of a JSON pointer. */
export function escape(name) {
  return String(name).replaceAll("~", "~0").replaceAll("/", "~1")
}
