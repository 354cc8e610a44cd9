// The picture of a graph, and the details of a node.

import { facts } from "./details-parts.js"
import { button, fill, make, mark, morph, write } from "./dom.js"
import { passes } from "./filter.js"
import { counted, number, rate } from "./format.js"
import { Layout, chosen, nodeSize } from "./graph-layout.js"
import { graph as section, internals, processOfGraph } from "./section-graph.js"

export class GraphView {
  constructor(context) {
    this.context = context
    this.layouts = new Map()
    this.picker = make("select",
      { "aria-label": "Process", change: () => { this.id = this.picker.value; context.refreshList() } })
    this.toggle = make("input", { type: "checkbox", id: "internals", change: () => {
      internals.areShown = this.toggle.checked
      context.refreshList()
    } })
    this.text = make("p", { class: "muted" })
    this.picture = make("svg", { class: "picture", role: "img" })
    this.element = make("div", { class: "graph" },
      make("div", { class: "tools" }, this.picker, make("label", { for: "internals" }, this.toggle, " Internals"),
        this.text),
      make("div", { class: "canvas", tabindex: "0", role: "region", "aria-label": "Picture of the graph" },
        this.picture))
  }

  update(filter) {
    const graphs = [...this.context.store.of("graph").values()]
    this.element.hidden = !graphs.length
    if (!graphs.length) return
    const { open, tab } = this.context.address.state
    const opened = graphs.find(each => each.id === open)
    if (opened && this.opened !== open) this.id = open
    this.opened = open
    const resource = graphs.find(each => each.id === this.id) ?? graphs[0]
    this.pick(graphs, resource)
    const { nodes: all = [], edges: allEdges = [], dropped = 0 } = resource.graph ?? {}
    const nodes = all.filter(node => internals.areShown || !node.internal)
    const isWanted = node => !filter.isEmpty && passes(filter, section.subject({ resource, node }))
    const part = chosen(nodes, allEdges, isWanted)
    const known = new Set(part.nodes.map(node => node.id))
    const edges = allEdges.filter(edge => known.has(edge.from) && known.has(edge.to))
    const texts = [counted(nodes.length, "signal")]
    if (part.isPart) texts.push(part.nodes.length ? `${number(part.nodes.length)} near the filter are drawn`
      : "enter a filter to draw some with their neighbours")
    if (dropped) texts.push(`${counted(dropped, "update")} dropped by the app`)
    write(this.text, texts.join(", "))
    this.draw(resource, part.nodes, edges, open === resource.id && tab.startsWith("node ") ? tab.slice(5) : null)
  }

  pick(graphs, resource) {
    const names = graphs.map(each => each.id).join()
    if (this.names !== names) fill(this.picker,
      graphs.map(each => make("option", { value: each.id }, processOfGraph(each))))
    this.names = names
    this.picker.value = resource.id
  }

  draw(resource, nodes, edges, selected) {
    const layout = this.layouts.get(resource.id) ?? new Layout()
    this.layouts.set(resource.id, layout)
    const size = layout.place(nodes, edges)
    mark(this.picture, "width", size.width)
    mark(this.picture, "height", size.height)
    mark(this.picture, "viewBox", `0 0 ${size.width} ${size.height}`)
    mark(this.picture, "aria-label",
      `Graph of ${counted(nodes.length, "signal")} of ${processOfGraph(resource)}. The table has the same content.`)
    const near = new Set([selected,
      ...edges.flatMap(edge => edge.from === selected ? [edge.to] : edge.to === selected ? [edge.from] : [])])
    // A click needs the same element when the button is pressed and when it is released.
    morph(this.picture,
      edges.map(edge => line(layout.places.get(edge.from), layout.places.get(edge.to),
        edge.from === selected || edge.to === selected)),
      nodes.map(node => this.node(resource, node, layout.places.get(node.id), selected, near)))
  }

  node(resource, node, place, selected, near) {
    const state = node.id === selected ? "selected" : selected && near.has(node.id) ? "near" : selected ? "far" : null
    const second = node.value ?? (node.rate?.s1 ? rate(node.rate.s1) : node.type ?? node.kind)
    return make("g", { class: "node", "data-key": node.id, "data-kind": node.kind, "data-state": state,
      transform: `translate(${place.x} ${place.y})`,
      click: () => this.context.address.go({ open: resource.id, row: "", tab: `node ${node.id}` }) },
    make("rect", { width: nodeSize.width, height: nodeSize.height, rx: 6 }),
    make("text", { x: 10, y: 17, class: "name" }, cut(node.name, 24)),
    make("text", { x: 10, y: 32, class: "second" }, cut(second, 26)),
    make("title", {}, `${node.name}: ${node.kind} ${node.type ?? ""}`))
  }
}

const cut = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text

function line(from, to, isNear) {
  const [x, y, endX, endY] = [from.x + nodeSize.width, from.y + nodeSize.height / 2, to.x, to.y + nodeSize.height / 2]
  const bend = Math.max(24, Math.abs(endX - x) / 2)
  return make("path", { class: "edge", "data-near": isNear,
    d: `M${x} ${y} C${x + bend} ${y} ${endX - bend} ${endY} ${endX} ${endY}` })
}

function nodeDetails(context, resource) {
  const { nodes = [], edges = [], consumers = [] } = resource.graph ?? {}
  const wanted = context.address.state.tab.split(" ").slice(1).join(" ")
  const node = nodes.find(each => each.id === wanted)
  if (!node) return make("p", { class: "muted" },
    wanted ? "This signal does not exist any more." : "Select a signal to see its neighbours.")
  const linked = (label, ids) => ids.length
    ? [make("h3", {}, label), make("ul", { class: "links" }, ids.map(id => make("li", { "data-key": id },
    button(nodes.find(each => each.id === id)?.name ?? id,
      () => context.address.go({ tab: `node ${id}` }, { replaces: true }), { style: "link" }))))] : null
  const subscribers = consumers.filter(consumer => consumer.node === node.id)
  return make("section", { "data-key": `node ${node.id}` }, make("h3", {}, node.name),
    facts([["Kind", node.kind], ["Type", node.type],
      ["Value", node.value ?? "not published: give the signal a description"], ["Place", node.place],
      ["Subscribers", number(node.subscribers)], ["Rate", node.rate && rate(node.rate.s1)],
      ["In a minute", node.rate?.s60 && rate(node.rate.s60)]]),
    linked("Depends on", edges.filter(edge => edge.to === node.id).map(edge => edge.from)),
    linked("Feeds", edges.filter(edge => edge.from === node.id).map(edge => edge.to)),
    subscribers.length ? [make("h3", {}, "Subscribers"),
      make("ul", {}, subscribers.map(({ steps = [], place }) => make("li", {},
      make("code", {}, steps.join(" › ")), place ? make("span", { class: "muted" }, ` ${place}`) : null)))] : null)
}

export const nodeViews = [{ id: "node", label: "Signal", show: nodeDetails }]
