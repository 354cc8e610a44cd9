// Environments of an app, and its sessions.

import { propose } from "./change.js"
import { age, moment, number, size } from "./format.js"
import { nameOf, openResource, resourceItems, subjectOf } from "./section-parts.js"

const parts = new WeakMap()

function rowsOf(container) {
  let rows = parts.get(container)
  if (!rows) {
    const { journal, environments: all = [] } = container.container ?? {}
    const note = journal && { key: `${container.id} journal`, resource: container, journal }
    rows = [note, ...all.map(environment => ({ key: `${container.id} ${environment.id}`, resource: container,
      environment }))]
      .filter(Boolean)
    parts.set(container, rows)
  }
  return rows
}

const state = environment => environment.active ? { text: "active", tone: "good" }
  : environment.problem ? { text: "problem", tone: "error", label: environment.problem }
    : { text: environment.default ? "default" : "", tone: "muted" }

export const environments = {
  id: "environments", name: "Environments", kinds: ["container"], parts: ["container"],
  columns: [{ label: "Environment", width: "minmax(8rem, 1.2fr)" }, { label: "State", width: "5rem" },
    { label: "Description", width: "minmax(0, 1.4fr)" },
    { label: "Activations", from: 680, width: "5.6rem", align: "end" },
    { label: "Last active", width: "minmax(0, 0.9fr)" }, { label: "Size", from: 780, width: "5.4rem", align: "end" }],
  items: store => store.sorted("container").flatMap(rowsOf),
  count: store => [...store.of("container")
    .values()].reduce((sum, { container }) => sum + (container?.environments?.length ?? 0), 0),
  alerts: store => [...store.of("container").values()]
    .reduce((sum, { container }) => sum + (container?.journal ? 1 : 0) + (container?.environments ?? [])
      .filter(each => each.problem).length, 0),
  subject: ({ resource, environment, journal }) => ({ ...subjectOf(resource), text: journal ? journal.text
    : `${environment.name} ${environment.description ?? ""} ${environment.active ? "active" : ""}` }),
  tone: item => item.journal ? "note" : null,
  cells({ environment, journal }) {
    if (journal) return [journal.text ?? "A switch is in progress", { text: "switching", tone: "warning" }, "", "", "",
      ""]
    return [environment.name, state(environment), { text: environment.description ?? "", tone: "muted" },
      number(environment.activations),
      { text: environment.activated ? moment(environment.activated) : "never", tone: "muted" },
      { text: environment.bytes === undefined ? "" : size(environment.bytes), tone: "muted" }]
  },
  card({ environment, journal }) {
    if (journal) return [journal.text ?? "A switch is in progress", "", ""]
    return [environment.name, state(environment), { text: environment.description ?? "", tone: "muted" }]
  },
  open: ({ resource, environment }) => ({ open: resource.id, tab: environment ? `environment ${environment.id}` : "" }),
  actions: context => [...context.store.of("container").values()].slice(0, 1).flatMap(({ id: r }) => [
    ["New environment…", () => propose(context, {
      title: "New environment", operation: "Create", fields: [{ name: "name", label: "Name", isNeeded: true },
        { name: "description", label: "Description" }], body: { action: "container.create", r } })],
    ["Import…", () => propose(context, {
      title: "Import an environment", operation: "Import",
      fields: [{ name: "path", label: "File on this computer", isNeeded: true }, { name: "name", label: "Name" }],
      body: { action: "container.import", r } })],
    ["Reset…", () => propose(context, {
      title: "Reset the environments", operation: "Reset", isDangerous: true,
      warning: () => "The default environment is activated. All others are deleted, with their files.",
      body: { action: "container.reset", r } })],
  ]),
  empty: ["No environment",
    "AppContainer keeps several complete sets of files of an app. They are listed here, and you can switch them."],
}

const tones = { in: "good", out: "muted", expired: "error", unknown: "warning" }
const words = { in: "logged in", out: "logged out" }

export const sessionState = session => ({ text: words[session?.state] ?? session?.state ?? "unknown",
  tone: tones[session?.state] })

export const sessions = {
  id: "sessions", name: "Sessions", kinds: ["session"], parts: ["session"],
  columns: [{ label: "Session", width: "minmax(8rem, 1fr)" }, { label: "State", width: "6rem" },
    { label: "User", width: "minmax(0, 1fr)", align: "code" }, { label: "Expires", width: "minmax(0, 0.9fr)" },
    { label: "Last activity", from: 640, width: "6.4rem", align: "end" }],
  items: store => resourceItems(store, ["session"]),
  count: store => store.of("session").size,
  alerts: store => [...store.of("session").values()].filter(each => each.problem
    || each.session?.state === "expired").length,
  subject: ({ resource }) => subjectOf(resource, resource.session?.state),
  cells: ({ resource }) => [nameOf(resource), sessionState(resource.session), resource.session?.user ?? "",
    { text: moment(resource.session?.expires), tone: "muted" },
    { text: moment(resource.session?.activity), tone: "muted" }],
  card: ({ resource }) => [nameOf(resource), sessionState(resource.session),
    [resource.session?.user, resource.session?.activity && `active ${age(resource.session.activity)} ago`]
      .filter(Boolean).join(", ")],
  open: openResource,
  empty: ["No session",
    "The session of an app appears here with its state, its end and its last activity. Its secrets are never read."],
}
