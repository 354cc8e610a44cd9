// The token that the server wants with each request. It arrives in the fragment of the address, which reaches no log.

const place = "signals.token"

/** Takes the token from the fragment into the session of this tab, and clears it from the address and the history. */
export function adopt() {
  const given = new URLSearchParams(location.hash.slice(1))
  const token = given.get("token")
  if (!token) return
  sessionStorage.setItem(place, token)
  given.delete("token")
  const rest = given.toString()
  history.replaceState(null, "", location.pathname + (rest ? "#" + rest : ""))
}

/** The token of this tab, if there is one. */
export function token() {
  return sessionStorage.getItem(place)
}

/** Forgets a token that the server refused. */
export function forget() {
  sessionStorage.removeItem(place)
}
