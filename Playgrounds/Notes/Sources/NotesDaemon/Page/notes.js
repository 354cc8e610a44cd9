// The page is a function of one value: each event of the stream has everything that it shows. There is no state to
// repair after the connection was lost, because the first event of the next connection has everything again.
const $ = id => document.getElementById(id)
let shown = null

function make(tag, text, properties = {}) {
  // Text is set as text and never as markup, so a note cannot contain a script.
  const element = Object.assign(document.createElement(tag), properties)
  if (text !== undefined) element.textContent = text
  return element
}

const when = (date, format) => new Date(date).toLocaleString([], { timeStyle: 'short', ...format })

// One action at a time, in the order of the clicks and keys.
let last = Promise.resolve()
const act = action => last = last.then(() => send(action))

async function send(action) {
  $('problem').hidden = true
  try {
    const answer = await fetch('/actions', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(action)
    })
    if (answer.ok) return true
    throw Error((await answer.json()).error)
  } catch (error) {
    $('problem').textContent = error.message
    $('problem').hidden = false
    return false
  }
}

// Each change of a note names the environment that the page shows. If another one is active, nothing is changed.
const here = () => shown.environment

function noteElement(note) {
  const item = make('li')
  const text = make('p'), time = make('time'), footer = make('footer')
  const pin = make('button'), edit = make('button', 'Edit'), remove = make('button', 'Remove')
  pin.onclick = () => act({ pin: { note: note.id, isPinned: !item.note.isPinned, in: here() } })
  remove.onclick = () => act({ remove: { note: note.id, in: here() } })
  edit.onclick = async () => {
    const field = item.querySelector('textarea')
    if (!field) {
      text.replaceWith(make('textarea', item.note.text, { rows: 3, ariaLabel: 'Text of the note' }))
      item.querySelector('textarea').focus()
      edit.textContent = 'Save'
    } else if (await act({ edit: { note: note.id, text: field.value, in: here() } })) {
      field.replaceWith(text)
      edit.textContent = 'Edit'
    }
  }
  footer.append(time, pin, edit, remove)
  item.append(text, footer)
  item.show = (note, flags) => {
    item.note = note
    item.classList.toggle('pinned', note.isPinned)
    text.textContent = note.text
    time.textContent = when(note.edited ?? note.created, { dateStyle: 'medium' }) + (note.edited ? ', edited' : '')
    time.dateTime = note.edited ?? note.created
    pin.textContent = note.isPinned ? 'Unpin' : 'Pin'
    pin.hidden = !flags.allowsPinning
  }
  return item
}

function showNotes(notes, flags) {
  const list = $('notes'), known = new Map([...list.children].map(item => [item.note.id, item]))
  // Elements are kept by identity, so that an edit in progress survives every change.
  notes.forEach((note, index) => {
    const item = known.get(note.id) ?? noteElement(note)
    known.delete(note.id)
    item.show(note, flags)
    if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null)
  })
  for (const item of known.values()) item.remove()
}

function show(screen) {
  const isOtherPlace = screen.environment !== shown?.environment || screen.user !== shown?.user
  shown = screen
  document.body.className = `${screen.environment} ${screen.settings.textSize}`
  $('environments').replaceChildren($('environments').firstElementChild, ...screen.environments.map(name => {
    const button = make('button', name, { type: 'button', onclick: () => act({ activate: { environment: name } }) })
    button.setAttribute('aria-pressed', name === screen.environment)
    return button
  }))
  $('login').hidden = !!screen.user
  $('user').hidden = !screen.user
  $('user').firstElementChild.textContent = screen.user
    ? screen.user + (screen.session === 'authenticated' ? '' : ' (renewing the session)') : ''
  $('composer').hidden = !screen.user
  // What was typed belongs to the user and the environment that were shown. It is saved there as a draft.
  if (isOtherPlace) $('text').value = screen.draft
  $('banner').hidden = !screen.flags.banner
  $('banner').textContent = screen.flags.banner
  $('empty').hidden = screen.notes.length > 0
  $('empty').textContent = screen.user ? 'No notes yet.' : 'Log in to see your notes.'
  if (isOtherPlace) $('notes').replaceChildren()
  showNotes(screen.notes, screen.flags)
  showLength()
  $('size').value = screen.settings.textSize
  $('shows').checked = screen.settings.showsActivity
  $('history').hidden = !screen.settings.showsActivity
  $('counts').textContent = Object.entries(screen.counts).sort().map(([kind, count]) => `${count} ${kind}`).join(', ')
    || 'Nothing yet.'
  $('activity').replaceChildren(...screen.activity.map(line => {
    const item = make('li', `${line.user} ${line.kind} a note `)
    item.append(make('time', when(line.date), { dateTime: line.date }))
    return item
  }))
  $('processes').replaceChildren(...screen.processes.map(({ role, pid }) => make('li', `${role}, process ${pid}`)))
}

function showLength() {
  const count = [...$('text').value].length, limit = shown?.flags.maximumLength ?? 0
  $('length').textContent = `${count} of ${limit}`
  $('length').classList.toggle('over', count > limit)
}

$('composer').onsubmit = async event => {
  event.preventDefault()
  if (await act({ add: { text: $('text').value, in: here() } })) $('text').value = ''
  showLength()
}
$('text').oninput = () => {
  showLength()
  act({ type: { text: $('text').value, in: here() } })
}
$('login').onsubmit = event => {
  event.preventDefault()
  act({ logIn: { name: $('name').value.trim() || 'ada' } })
}
$('logout').onclick = () => act({ logOut: {} })
$('size').onchange = () => act({ set: { textSize: $('size').value } })
$('shows').onchange = () => act({ set: { showsActivity: $('shows').checked } })

// The browser connects again by itself, also after the daemon was killed.
const events = new EventSource('/events')
events.onmessage = event => {
  show(JSON.parse(event.data))
  $('connection').textContent = 'Live'
  $('connection').classList.remove('lost')
}
events.onerror = () => {
  $('connection').textContent = 'The daemon does not answer. Trying again…'
  $('connection').classList.add('lost')
}
