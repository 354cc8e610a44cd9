// Feature flags.

import { proposeAll } from "./flags.js"
import { nameOf, openResource, resourceItems, subjectOf, valueCell, isFaulty, statusCell,
  changedCell } from "./section-parts.js"
import { redaction } from "./json.js"

function value(resource) {
  if (resource.tweak?.secret) return { text: redaction, tone: "muted", label: "redacted" }
  return valueCell(resource)
}

function source(resource) {
  const { source, overridden } = resource.tweak ?? {}
  return { text: overridden ? `overridden in ${source ?? ""}` : source ?? "", tone: overridden ? "warning" : "muted" }
}

const title = resource => resource.tweak ? `${resource.tweak.feature}/${resource.tweak.variable}` : nameOf(resource)

export const flags = {
  id: "flags", name: "Flags", kinds: ["tweak"], parts: ["tweak"],
  columns: [{ label: "Flag", width: "minmax(8rem, 1.2fr)" }, { label: "Title", from: 760, width: "minmax(0, 1fr)" },
    { label: "Value", width: "minmax(0, 1fr)", align: "code" }, { label: "Type", from: 560, width: "4.4rem" },
    { label: "Source", width: "minmax(0, 1.2fr)" },
    { label: "Changed", from: 640, width: "6.4rem", align: "figures end" }],
  items: store => resourceItems(store, ["tweak"]),
  count: store => store.of("tweak").size,
  alerts: store => [...store.of("tweak").values()].filter(isFaulty).length,
  subject: ({ resource }) => subjectOf(resource, `${resource.tweak?.title ?? ""} ${resource.tweak?.group ?? ""} ${
    resource.tweak?.overridden ? "overridden" : ""}`),
  cells: ({ resource }) => [title(resource), resource.tweak?.title ?? "",
    isFaulty(resource) ? statusCell(resource) : value(resource),
    { text: resource.tweak?.type ?? "", tone: "muted" }, source(resource), changedCell(resource)],
  card: ({ resource }) => [title(resource), value(resource), source(resource)],
  open: openResource,
  actions: context => [["Reset all flags…", () => proposeAll(context)]],
  empty: ["No flag",
    "A file of flags or a suite of overrides in this directory lists its flags here, with the provider of each value."],
}
