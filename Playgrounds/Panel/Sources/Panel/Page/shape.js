// The shape of a recording. A file from elsewhere may be damaged or hostile, and must not break the page.

const holder = { pid: "number", name: "string", process: "string" }
const member = { id: "string!", name: "string", pid: "number", redacted: ["string!"] }

/** The details of each kind: a type, with `!` if it is needed; a list with the shape of its elements; or an object. */
const details = {
  file: { holder, keys: ["string!"], editor: { process: "string!", type: "string!" } },
  suite: { holder, keys: ["string!"] },
  log: {
    producers: [{ id: "string!", process: "string" }],
    consumers: [{ name: "string!", state: "string!", process: "string", error: "string", reason: "string",
      loss: "string",
      cursors: [{ producer: "string!" }] }],
  },
  presence: { members: [member] },
  database: {
    writer: holder, tables: [{ name: "string!", rows: "number" }], authors: [{ name: "string!", lag: "number" }],
    queues: [{ name: "string!", counts: {}, jobs: [{ id: "string!", state: "string!", error: "string",
      process: "string", progress: "number" }] }],
    history: { entries: [{ seq: "string!", author: "string", tables: ["string!"] }] },
  },
  container: {
    environments: [{ id: "string!", name: "string!", description: "string", problem: "string" }],
    processes: ["string!"],
    journal: { text: "string" },
  },
  session: { state: "string", user: "string", lastUser: "string", renewal: {}, holder },
  tweak: { feature: "string!", variable: "string!", title: "string", type: "string", source: "string",
    trace: [{ provider: "string!", text: "string", outcome: "string" }] },
  lock: { holders: [holder], waiters: [holder], purpose: "string", mode: "string" },
  graph: {
    process: "string", nodes: [{ id: "string!", name: "string!", kind: "string!", type: "string", value: "string",
      rate: {} }],
    edges: [{ from: "string!", to: "string!" }], consumers: [{ node: "string!", steps: ["string!"] }],
  },
}

const resource = { id: "string!", kind: "string!", name: "string", path: "string", version: "string", status: "string",
  problem: "string", redacted: ["string!"], rate: {} }
const change = { r: "string!", kind: "string", op: "string", at: "number!", proc: "string", author: "string",
  n: "number",
  summary: "string", v: "string", seq: "string" }
const process = { id: "string!", name: "string!", pid: "number!", opens: ["string!"] }
const problem = { id: "string!", path: "string!", operation: "string", cause: "string", remedy: "string" }

/** A Boolean value that indicates whether a value has a shape. Members that the shape does not name may be anything. */
export function has(value, shape) {
  if (value === undefined) return typeof shape !== "string" || !shape.endsWith("!")
  if (typeof shape === "string") return typeof value === shape.replace("!", "")
  if (Array.isArray(shape)) return Array.isArray(value)
    && value.every(element => element !== undefined && has(element, shape[0]))
  return value !== null && typeof value === "object" && !Array.isArray(value)
    && Object.entries(shape).every(([name, inner]) => has(value[name], inner))
}

/** A Boolean value that indicates whether a value is the content of a recording. */
export function isRecording({ snapshot, changes }) {
  return has(snapshot, { name: "string", directory: "string", processes: [process], problems: [problem] })
    && has(changes, [change]) && changes?.every(({ diff }) => diff === undefined || isDifference(diff))
    && has(snapshot?.resources, [resource])
    && snapshot?.resources?.every(each => has(each[each.kind], details[each.kind] ?? {})) === true
}

function isDifference(diff) {
  return Array.isArray(diff) && diff.every(entry => Array.isArray(entry) && typeof entry[1] === "string"
    && entry.length === { "+": 3, "-": 3, "~": 4 }[entry[0]])
}
