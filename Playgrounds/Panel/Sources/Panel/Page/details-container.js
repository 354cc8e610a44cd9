// The environments of an app, and the actions for them.

import { propose } from "./change.js"
import { facts } from "./details-parts.js"
import { button, make } from "./dom.js"
import { counted, moment, number, size } from "./format.js"

function environments(context, resource) {
  const { environments: all = [], journal } = resource.container ?? {}
  const processes = resource.container?.processes ?? context.store.processes.map(process => process.id)
  const wanted = context.address.state.tab.split(" ")[1]
  const chosen = all.find(each => each.id === wanted) ?? all.find(each => each.active) ?? all[0]
  return [
    journal ? make("p", { class: "warning-text" }, journal.text) : null,
    make("ul", { class: "links" },
      all.map(each => make("li", { "data-key": each.id }, make("button", { type: "button", class: "link",
      "aria-current": each === chosen ? "true" : null,
      click: () => context.address.go({ tab: `environment ${each.id}` }, { replaces: true }) }, each.name),
    each.active ? make("span", { "data-tone": "good" }, " active") : null))),
    chosen ? environment(context, resource, chosen, processes) : null,
  ]
}

function environment(context, resource, chosen, processes) {
  return make("section", { "data-key": `environment ${chosen.id}` }, make("h3", {}, chosen.name),
    chosen.description ? make("p", {}, chosen.description) : null,
    chosen.problem ? make("p", { class: "error-text" }, chosen.problem) : null,
    facts([["State", chosen.active ? "active" : "not active"], ["Created", moment(chosen.created)],
      ["Last active", chosen.activated ? moment(chosen.activated) : null], ["Activations", number(chosen.activations)],
      ["Size", chosen.bytes === undefined ? null : size(chosen.bytes)], ["Identifier", chosen.id]]),
    make("div", { class: "actions" }, actions(context, resource, chosen, processes)))
}

function actions(context, resource, chosen, processes) {
  const { id, name } = chosen
  const reason = context.store.readOnlyReason
  const attached = () => processes.length
    ? `${counted(processes.length, "process uses", "processes use")} these files now: ${
      processes.join(", ")}. They follow at once.`
    : "No process uses these files now."
  const act = (label, verb, { fields, warning, isDangerous, because, title } = {}) =>
    button(label, () => propose(context, {
    title: title ?? `${label.replace("…", "")} ${name}`, operation: label.replace("…", ""), fields, warning,
    isDangerous,
    body: { action: `container.${verb}`, r: resource.id, id } }), { reason: reason ?? because, "data-key": verb })
  const field = (field, label, value, isNeeded = true) => ({ name: field, label, value, isNeeded })
  return [
    act("Switch…", "switch", { title: `Switch to ${name}`, warning: attached,
      because: chosen.active ? "It is active already" : null }),
    act("Rename…", "rename", { fields: [field("name", "Name", name),
      field("description", "Description", chosen.description ?? "", false)] }),
    act("Clone…", "clone", { fields: [field("name", "Name of the copy", `${name} copy`)] }),
    act("Export…", "export", { fields: [field("path", "File on this computer", "")] }),
    act("Clean…", "clean", { isDangerous: true,
      warning: () => `All files of ${name} are removed. ${chosen.active ? attached() : ""}` }),
    act("Delete…", "delete", { isDangerous: true, warning: () => `${name} and all its files are removed.`,
      because: chosen.active ? "It is active" : chosen.default ? "It is the default environment" : null }),
  ]
}

export const containerViews = [{ id: "environment", label: "Environments", show: environments }]
