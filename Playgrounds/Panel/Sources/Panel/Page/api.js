// Requests to the server of this page.

import { forget, token } from "./token.js"

/** The largest body that the server takes. */
const largestBody = 256 * 1024

/** A failed request: the operation, the path, the cause and the remedy, as the page shows them. */
export class Failure extends Error {
  constructor({ status = 0, code = "", operation = "", path = "", cause = "The request failed.", remedy = "",
    ...rest }) {
    const reason = sentence(cause)
    super(reason)
    Object.assign(this, { status, code, operation, path, reason, remedy, rest })
  }

  /** The beginning of a message about the failure. */
  get title() {
    return this.operation ? `Can't ${this.operation.charAt(0).toLowerCase()}${this.operation.slice(1)}` : "That failed"
  }

  /** The failure for screen readers. */
  get sentence() {
    return [`${this.title}.`, this.reason, this.remedy].filter(Boolean).join(" ")
  }
}

/** Sends a request with the token, and throws a `Failure` that names the remedy. */
export async function send(path, { operation = "Ask the server", signal, headers = {}, body } = {}) {
  const options = { signal, cache: "no-store", credentials: "omit", redirect: "error",
    headers: { ...headers, Authorization: `Bearer ${token() ?? ""}` } }
  if (body !== undefined) {
    options.method = "POST"
    options.body = JSON.stringify(body)
    options.headers["Content-Type"] = "application/json"
    if (new Blob([options.body]).size > largestBody)
      throw new Failure({ operation, code: "tooLarge", cause: "The value is larger than 256 KiB.",
        remedy: "Change it in the app." })
  }
  let answer
  try {
    answer = await fetch(path, options)
  } catch (error) {
    if (error.name === "AbortError") throw error
    throw new Failure({ code: "unreachable", operation, cause: "The panel's server does not answer.",
      remedy: "Start it again with Playgrounds/Panel/run. This page then reconnects by itself." })
  }
  if (answer.ok) return answer
  const failure = new Failure({ operation, ...await explanation(answer) })
  if (answer.status === 401) forget()
  throw failure
}

/** The cause and the remedy that the server gives, or general ones. */
async function explanation(answer) {
  const general = { status: answer.status, cause: `The server answered ${answer.status}.`,
    remedy: "Look at its output." }
  try {
    return { ...general, ...JSON.parse(await answer.text()).error, status: answer.status }
  } catch {
    return general
  }
}

/** The answer to a request. */
export async function read(path, options) {
  return (await send(path, options)).json()
}

/** A path with its query. */
export function query(path, parameters) {
  const known = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null)
  return `${path}?${new URLSearchParams(known)}`
}

/** A cause as a sentence of its own. */
function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".")
}
