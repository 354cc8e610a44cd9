// A row or an action as a command line, for a terminal, a script or a bug report.

import { pretty } from "./json.js"

/** The command that shows a resource. */
export function commandFor(store, resource, tab = "") {
  const { id, kind, name = id } = resource
  if (kind === "log") return line(store, ["log", "tail", name])
  if (kind === "container") return line(store, ["containers", "list"], root(id))
  if (kind === "tweak") return line(store, ["tweaks", "get", flagName(resource)])
  if (kind === "file" || kind === "suite") return line(store, ["get", name])
  return line(store, ["get", id], option("--table", tab.startsWith("table ") ? tab.slice(6) : ""))
}

/** The command that makes a change. */
export function commandOf(store, body) {
  const { action, r: id } = body
  const resource = store.resources.get(id)
  const name = resource?.name ?? id
  const verb = action.split(".")[1]
  if (action === "tweak.resetAll") return line(store, ["tweaks", "reset"], ["--all"])
  if (action.startsWith("tweak.")) return line(store, ["tweaks", verb, flagName(resource), body.text])
  if (action === "container.import") return line(store, ["containers", verb, body.path, body.name], root(id))
  if (action.startsWith("container."))
    return line(store, ["containers", verb, body.id, body.name ?? body.path],
      [...option("--description", body.description), ...root(id)])
  if (action === "log.trim") return line(store, ["log", "trim", name])
  if (action === "log.removeConsumer") return line(store, ["log", "remove-consumer", name, body.consumer])
  if (action.startsWith("queue.")) return line(store, ["queue", verb, name, body.name, body.id])
  if (action === "value.remove") return line(store, ["unset", name, body.path])
  return line(store, ["set", name, body.path ?? "", pretty(body.value, 0)])
}

const option = (name, value) => value ? [`${name}=${value}`] : []

/** The option with the place of the environments below the directory. */
const root = id => option("--root", id.slice("container/".length))

function flagName(resource) {
  return resource?.tweak ? `${resource.tweak.feature}/${resource.tweak.variable}` : resource?.id.replace(/^tweak\//, "")
}

/** A command line. Arguments that begin with a dash follow `--`, so that they are no options. */
function line(store, words, options = []) {
  const known = words.filter(word => word !== null && word !== undefined)
  const dash = known.findIndex(word => word.startsWith("-"))
  const plain = dash < 0 ? known : known.slice(0, dash)
  const rest = dash < 0 ? [] : ["--", ...known.slice(dash)]
  return ["signals", ...plain, ...options, "--directory", store.about.directory ?? ".", ...rest].map(quoted).join(" ")
}

/** A word for a shell. Control characters are spelled out, so that none of them reaches a terminal. */
export function quoted(word) {
  if (/^[\w+:,./-][\w+=:,./-]*$/.test(word)) return word
  if (!/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(word)) return `'${word.replaceAll("'", "'\\''")}'`
  const spelled = [...word].map(character => {
    const code = character.codePointAt(0)
    if (code < 32 || code === 127) return `\\x${code.toString(16).padStart(2, "0")}`
    if ((code > 127 && code < 160) || code === 0x2028 || code === 0x2029)
      return `\\u${code.toString(16).padStart(4, "0")}`
    return character === "'" || character === "\\" ? `\\${character}` : character
  })
  return `$'${spelled.join("")}'`
}
