// Places for the nodes of a graph, in a column for each step from a source. A node keeps its place.

const [width, height, gap, distance] = [168, 40, 14, 64]
export const nodeSize = { width, height }

/** The most nodes that are drawn at once. */
export const most = 200

export class Layout {
  constructor() {
    this.places = new Map()
  }

  /** Places the nodes, and returns the size of the picture. */
  place(nodes, edges) {
    const wanted = new Set(nodes.map(node => node.id))
    for (const id of this.places.keys()) if (!wanted.has(id)) this.places.delete(id)
    const columns = columnsOf(nodes, edges)
    const taken = new Set([...this.places.values()].map(({ column, slot }) => `${column} ${slot}`))
    const fresh = nodes.filter(node => !this.places.has(node.id))
    fresh.sort((left, right) => columns.get(left.id) - columns.get(right.id))
    for (const node of fresh) {
      const column = columns.get(node.id)
      const before = edges.filter(edge => edge.to === node.id).map(edge => this.places.get(edge.from)?.slot)
        .filter(slot => slot !== undefined)
      let slot = before.length ? Math.round(before.reduce((sum, each) => sum + each, 0) / before.length) : 0
      while (taken.has(`${column} ${slot}`)) slot += 1
      taken.add(`${column} ${slot}`)
      this.places.set(node.id, { column, slot, x: 12 + column * (width + distance), y: 12 + slot * (height + gap) })
    }
    const all = [...this.places.values()]
    return { width: Math.max(0, ...all.map(place => place.x)) + width + 12,
      height: Math.max(0, ...all.map(place => place.y)) + height + 12 }
  }
}

/** The longest way from a source to each node; a cycle ends where it would begin again. */
function columnsOf(nodes, edges) {
  const incoming = new Map(nodes.map(node => [node.id, []]))
  for (const edge of edges) incoming.get(edge.to)?.push(edge.from)
  const columns = new Map()
  const visit = (id, path) => {
    if (columns.has(id)) return columns.get(id)
    if (path.has(id) || !incoming.has(id)) return -1
    path.add(id)
    const column = 1 + Math.max(-1, ...incoming.get(id).map(from => visit(from, path)))
    path.delete(id)
    columns.set(id, column)
    return column
  }
  for (const node of nodes) visit(node.id, new Set())
  return columns
}

/** The nodes to draw: all if they are few, otherwise the matches of the filter with their neighbours. */
export function chosen(nodes, edges, isWanted) {
  if (nodes.length <= most) return { nodes, isPart: false }
  const found = new Set(nodes.filter(isWanted).slice(0, most / 2).map(node => node.id))
  const near = new Set(found)
  for (const { from, to } of edges) {
    if (found.has(from)) near.add(to)
    if (found.has(to)) near.add(from)
  }
  return { nodes: nodes.filter(node => near.has(node.id)).slice(0, most), isPart: true }
}
