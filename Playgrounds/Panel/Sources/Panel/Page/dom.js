// Elements without markup: text reaches the page as text only.

const vectors = new Set(["svg", "g", "path", "rect", "polyline", "text", "line", "circle", "title"])

/** Makes an element. A property that is a function handles the event of that name; absent ones are left out. */
export function make(tag, properties = {}, ...children) {
  const element = vectors.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) set(element, name, value)
  element.append(...present(children))
  return element
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return
  if (typeof value === "function") handle(element, name, value)
  else if (name === "value") element.value = value
  else element.setAttribute(name, value === true ? "" : value)
}

/** The element looks its handler up when an event comes, so that `morph` can replace it. */
function handle(element, name, action) {
  element.handlers ??= {}
  if (!element.handlers[name]) element.addEventListener(name, event => element.handlers[name]?.(event))
  element.handlers[name] = action
}

function present(children) {
  return children.flat(3).filter(child => child !== null && child !== undefined && child !== false && child !== "")
}

/** Replaces the content of an element. */
export function fill(element, ...children) {
  element.replaceChildren(...present(children))
  return element
}

/** Sets the text of an element if it differs. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text
}

/** Sets or removes an attribute if it differs. */
export function mark(element, name, value) {
  if (value === null || value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name)
  } else {
    const text = value === true ? "" : String(value)
    if (element.getAttribute(name) !== text) element.setAttribute(name, text)
  }
}

/** Makes the content of an element equal to new content, and keeps focus, selection and scroll positions. */
export function morph(element, ...children) {
  const wanted = present(children).map(child => child instanceof Node ? child : document.createTextNode(child))
  const keyed = new Map([...element.children].filter(child => child.dataset?.key)
    .map(child => [child.dataset.key, child]))
  wanted.forEach((child, index) => {
    const there = element.childNodes[index]
    const match = (child.dataset?.key && keyed.get(child.dataset.key)) || (there?.dataset?.key ? null : there)
    if (match && isSimilar(match, child)) {
      if (match !== there) element.insertBefore(match, there)
      update(match, child)
    } else element.insertBefore(child, there ?? null)
  })
  while (element.childNodes.length > wanted.length) element.lastChild.remove()
}

function isSimilar(present, wanted) {
  return present.nodeName === wanted.nodeName && present.dataset?.key === wanted.dataset?.key
}

function update(present, wanted) {
  if (present.nodeType === Node.TEXT_NODE) {
    if (present.data !== wanted.data) present.data = wanted.data
    return
  }
  if (Object.hasOwn(present.dataset ?? {}, "kept")) return
  const own = ["open", "style", "data-edited", ...Object.hasOwn(wanted.dataset ?? {}, "checks") ? ["aria-invalid"] : []]
  for (const { name } of [...present.attributes])
    if (!wanted.hasAttribute(name) && !own.includes(name)) present.removeAttribute(name)
  for (const { name, value } of wanted.attributes) mark(present, name, value)
  for (const [name, action] of Object.entries(wanted.handlers ?? {})) handle(present, name, action)
  for (const name of Object.keys(present.handlers ?? {})) if (!wanted.handlers?.[name]) delete present.handlers[name]
  if (present.matches("input, textarea, select")) {
    // A person may be typing; the field then keeps their text.
    if (!Object.hasOwn(present.dataset, "edited") && present.value !== wanted.value) present.value = wanted.value
  } else morph(present, ...wanted.childNodes)
}

export const find = id => document.getElementById(id)

/** A button. With a reason it does nothing, but stays reachable by the keyboard and says why. */
export function button(label, action, { reason = null, style = "button", ...rest } = {}) {
  return make("button", { type: "button", class: style, "aria-disabled": reason ? "true" : null, title: reason,
    click: event => { if (!reason) action(event) }, ...rest },
    label, reason && make("span", { class: "unseen" }, ` (${reason})`))
}

/** A Boolean value that indicates whether keys belong to a field in which people type. */
export function isTyping(target) {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"))
}
