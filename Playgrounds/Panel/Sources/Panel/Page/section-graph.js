// The signals inside of apps that publish their graph: a picture, and a table with the same content.

import { number, rate, shortName } from "./format.js"

const parts = new WeakMap()

/** Internals drown the signals that people named, so they are shown on request only. */
export const internals = { areShown: false }

function rowsOf(graph) {
  let rows = parts.get(graph)
  if (!rows) parts.set(graph,
    rows = (graph.graph?.nodes ?? []).map(node => ({ key: `${graph.id} ${node.id}`, resource: graph, node })))
  return internals.areShown ? rows : rows.filter(row => !row.node.internal)
}

export const processOfGraph = resource => resource.graph?.process ?? shortName(resource.id)

export const graph = {
  id: "graph", name: "Graph", kinds: ["graph"], parts: ["graph"], isGraph: true,
  columns: [{ label: "Signal", width: "minmax(7rem, 1.2fr)" },
    { label: "Process", from: 640, width: "minmax(0, 0.8fr)" }, { label: "Kind", width: "5rem" },
    { label: "Type", from: 560, width: "minmax(0, 0.9fr)", align: "code" },
    { label: "Value", width: "minmax(0, 1fr)", align: "code" },
    { label: "Subscribers", width: "5.8rem", align: "end" }, { label: "Rate", width: "4.4rem", align: "end" }],
  items: store => store.sorted("graph").flatMap(rowsOf),
  count: store => [...store.of("graph").values()].reduce((sum, { graph }) => sum + (graph?.nodes ?? [])
    .filter(node => !node.internal).length, 0),
  alerts: () => 0,
  subject: ({ resource, node }) => ({ kind: "graph", proc: processOfGraph(resource), key: node.name, at: resource.at,
    text: `${node.name} ${node.kind} ${node.type ?? ""} ${node.place ?? ""}` }),
  cells: ({ resource, node }) =>
    [node.name, { text: processOfGraph(resource), tone: "muted" }, { text: node.kind, tone: "muted" },
    { text: node.type ?? "", tone: "muted" }, node.value ?? "", number(node.subscribers),
    node.rate?.s1 ? rate(node.rate.s1) : ""],
  card: ({ resource, node }) => [node.name, node.rate?.s1 ? rate(node.rate.s1) : "",
    { text: `${node.kind} ${node.type ?? ""}${node.value ? ` = ${node.value}` : ""}, ${processOfGraph(resource)}`,
      tone: "muted" }],
  open: ({ resource, node }) => ({ open: resource.id, tab: `node ${node.id}` }),
  empty: ["No app publishes its graph",
    "An app shows its signals here after Inspector.publish(in: container). That is off by default."],
}
