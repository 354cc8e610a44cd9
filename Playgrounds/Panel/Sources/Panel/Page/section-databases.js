// Databases and their tables.

import { counted, number, size } from "./format.js"
import { changedCell, isFaulty, itemOf, nameOf, statusCell, subjectOf } from "./section-parts.js"

const parts = new WeakMap()

function rowsOf(database) {
  let rows = parts.get(database)
  if (!rows) {
    const tables = database.database?.tables ?? []
    rows = [itemOf(database),
      ...tables.map(table => ({ key: `${database.id} ${table.name}`, resource: database, table, isPart: true }))]
    parts.set(database, rows)
  }
  return rows
}

/** The number of rows; beyond ten thousand they are not counted. */
export function rowsText(table) {
  return table.capped ? "10,000+" : number(table.rows)
}

function behind(database) {
  const lag = Math.max(0, ...(database.database?.authors ?? []).map(author => author.lag ?? 0))
  return database.database?.authors?.length ? { text: number(lag), tone: lag ? "warning" : "muted" } : ""
}

export const databases = {
  id: "databases", name: "Databases", kinds: ["database"], parts: ["database"],
  columns: [{ label: "Database, table", width: "minmax(8rem, 1.4fr)" }, { label: "Status", width: "6rem" },
    { label: "Schema", from: 780, width: "4.6rem", align: "end" }, { label: "Rows", width: "5.4rem", align: "end" },
    { label: "Size", width: "5.4rem", align: "end" }, { label: "Log", from: 860, width: "5.4rem", align: "end" },
    { label: "Behind", from: 600, width: "4.6rem", align: "end" },
    { label: "Changed", width: "6.4rem", align: "figures end" }],
  items: store => store.sorted("database").flatMap(rowsOf),
  count: store => store.of("database").size,
  alerts: store => [...store.of("database").values()].filter(isFaulty).length,
  subject: ({ resource, table }) => table
    ? { ...subjectOf(resource), text: `${resource.id} ${table.name}`, key: `${resource.id} ${table.name}` }
      : subjectOf(resource),
  cells({ resource, table }) {
    if (table) return [table.name, "", "", rowsText(table), "", "", "", ""]
    const { schema, bytes, wal } = resource.database ?? {}
    return [nameOf(resource), statusCell(resource), number(schema), "",
      { text: size(bytes ?? resource.size), tone: "muted" },
      { text: wal === undefined ? "" : size(wal), tone: "muted" }, behind(resource), changedCell(resource)]
  },
  card({ resource, table }) {
    if (table) return [table.name, rowsText(table), { text: "table", tone: "muted" }]
    const tables = resource.database?.tables ?? []
    const status = isFaulty(resource) ? statusCell(resource)
      : `${counted(tables.length, "table")}, ${size(resource.database?.bytes)}`
    return [nameOf(resource), changedCell(resource), status]
  },
  open: ({ resource, table }) => ({ open: resource.id, tab: table ? `table ${table.name}` : "" }),
  empty: ["No database",
    "An SQLite file with models appears here, with its tables, history and the position of each process."],
}
