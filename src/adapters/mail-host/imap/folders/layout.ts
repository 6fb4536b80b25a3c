import { invalid } from '#/errors.ts'
import type { standardFolders } from '#/messages/folders/folder-name.ts'
import type { FolderState } from '#/ports/folder-changes.ts'
import type { FolderStatus } from '#/ports/mail-host.ts'
import { inListOrder } from '../../folders.ts'
import { timeouts } from '../client/connection.ts'
import { CommandRefused, unlessRefused } from '../client/errors.ts'
import { mailbox, type Namespace, nameOf, pathIn, pathOf } from '../client/mailbox-name.ts'
import { atomsOf, type Data, numberOf, type Token, textOf } from '../client/response.ts'
import type { ImapSession } from '../client/session.ts'

type Standard = (typeof standardFolders)[number]

/** How servers mark the standard folders (RFC 6154), and their usual names on servers without marks. */
const uses: Readonly<Record<Exclude<Standard, 'inbox'>, { readonly mark: string; readonly usual: string }>> = {
  sent: { mark: '\\Sent', usual: 'Sent' },
  drafts: { mark: '\\Drafts', usual: 'Drafts' },
  archive: { mark: '\\Archive', usual: 'Archive' },
  junk: { mark: '\\Junk', usual: 'Junk' },
  trash: { mark: '\\Trash', usual: 'Trash' },
}

/** A folder as the server lists it. */
export interface Listed extends FolderStatus {
  readonly path: string
  readonly size: number | undefined
  readonly state: FolderState
}

interface Entry {
  readonly path: string
  readonly attributes: readonly string[]
  readonly status: ReadonlyMap<string, number>
}

/** The names of a mailbox's folders on its server. */
export class Layout {
  readonly #own: Namespace
  /** Prefixes of folders of other users and of shared folders. */
  readonly #foreign: readonly string[]
  readonly #paths: ReadonlyMap<string, string>

  private constructor({ own, foreign }: Namespaces, paths: ReadonlyMap<string, string>) {
    this.#own = own
    this.#foreign = foreign
    this.#paths = paths
  }

  /** Reads the layout, and creates missing standard folders. */
  static async read(session: ImapSession): Promise<Layout> {
    const namespaces = await namespacesOf(session)
    const entries = await listFolders(session)
    const paths = new Map<string, string>([['inbox', 'INBOX']])
    for (const [name, { mark, usual }] of Object.entries(uses)) {
      const marked = entries.find(({ attributes }) => attributes.includes(mark.toLowerCase()))
      const path = marked?.path ?? namespaces.own.prefix + usual
      paths.set(name, path)
      if (!entries.some((entry) => entry.path === path)) await makeFolder(session, path, mark)
    }
    return new Layout(namespaces, paths)
  }

  /** @throws invalid for a name that the server cannot have, or uses for something else */
  pathOf(name: string): string {
    const { path, problem } = this.#place(name)
    if (path === undefined) throw invalid('folder', problem)
    return path
  }

  /** Whether it is one of the six standard folders. */
  isStandard(path: string): boolean {
    return this.#paths.values().some((standard) => standard === path)
  }

  /** Undefined for a path that has no name of ours. */
  nameOf(path: string): string | undefined {
    for (const [name, own] of this.#paths) if (own === path) return name
    if (!path.startsWith(this.#own.prefix)) return undefined
    const name = nameOf(path, this.#own)
    return !this.#paths.has(name) && this.#place(name).path === path ? name : undefined
  }

  #place(name: string): { path: string; problem?: never } | { path?: never; problem: string } {
    const standard = this.#paths.get(name)
    if (standard !== undefined) return { path: standard }
    // Dovecot repeats the name unchanged in the text of a NO: a line break would end the response in the middle.
    if (/\p{Cc}/u.test(name)) return { problem: 'On a mail server a folder must not hold control characters' }
    const { delimiter } = this.#own
    if (delimiter !== '/' && name.includes(delimiter)) {
      return { problem: `On this mail server a folder must not hold ${JSON.stringify(delimiter)}` }
    }
    const path = pathOf(name, this.#own)
    const foreign = this.#foreignPrefixOf(path)
    if (foreign === undefined) return { path }
    return {
      problem: `On this mail server what begins with ${JSON.stringify(foreign)} is no folder of the mailbox's own`,
    }
  }

  #foreignPrefixOf(path: string): string | undefined {
    return this.#foreign.find((prefix) => (path + this.#own.delimiter).startsWith(prefix))
  }

  /** All folders with mail of the mailbox. Folders of other programs that have no name of ours get another one. */
  async everyFolder(session: ImapSession): Promise<{ name: string; path: string }[]> {
    const names = new Set<string>(this.#paths.keys())
    const found: { name: string; path: string }[] = []
    for (const { path } of await listFolders(session)) {
      if (path !== 'INBOX' && (!path.startsWith(this.#own.prefix) || this.#foreignPrefixOf(path) !== undefined))
        continue
      const own = this.nameOf(path)
      let name = own ?? nameOf(path, this.#own)
      while (own === undefined && names.has(name)) name += ' (2)'
      names.add(name)
      found.push({ name, path })
    }
    return found
  }

  /** All folders, the standard ones first and in their order. */
  async statuses(session: ImapSession): Promise<Listed[]> {
    const { connection } = session
    // A server with QRESYNC may omit CONDSTORE.
    const modseq = connection.can('CONDSTORE') || connection.can('QRESYNC') ? ' HIGHESTMODSEQ' : ''
    const items = `MESSAGES UNSEEN UIDVALIDITY UIDNEXT${modseq}${connection.can('STATUS=SIZE') ? ' SIZE' : ''}`
    const entries = await listFolders(session, items)
    const listed = entries.flatMap(({ path, status }) => {
      const name = this.nameOf(path)
      if (name === undefined) return []
      return {
        name,
        path,
        total: status.get('MESSAGES') ?? 0,
        unread: status.get('UNSEEN') ?? 0,
        size: status.get('SIZE'),
        state: {
          uidValidity: status.get('UIDVALIDITY') ?? 0,
          modseq: status.get('HIGHESTMODSEQ') ?? 0,
          uidNext: status.get('UIDNEXT') ?? 0,
        },
      }
    })
    return inListOrder(listed)
  }
}

/** Creates a folder, unless it has just been created, and subscribes to it, so that mail programs list it. */
export async function makeFolder({ connection }: ImapSession, path: string, mark?: string): Promise<void> {
  const use = mark !== undefined && connection.can('CREATE-SPECIAL-USE') ? ` (USE (${mark}))` : ''
  try {
    await connection.run([`CREATE ${mailbox(path)}${use}`])
  } catch (error) {
    if (!(error instanceof CommandRefused && (await isThere(connection, path)))) throw error
  }
  await connection.run([`SUBSCRIBE ${mailbox(path)}`]).catch(unlessRefused)
}

async function isThere(connection: ImapSession['connection'], path: string): Promise<boolean> {
  let found = false
  const onData = ({ name, values: [, , listed] }: Data) => {
    // The name may contain a wildcard and match others.
    found ||= name === 'LIST' && pathIn(listed)?.toLowerCase() === path.toLowerCase()
    return name === 'LIST'
  }
  await connection.run([`LIST "" ${mailbox(path)}`], { onData })
  return found
}

/** Prefixes of folders (RFC 2342): the mailbox's own, and all others. */
interface Namespaces {
  readonly own: Namespace
  readonly foreign: readonly string[]
}

async function namespacesOf({ connection }: ImapSession): Promise<Namespaces> {
  let found: readonly Token[] = []
  if (connection.can('NAMESPACE')) {
    const onData = ({ name, values }: Data) => {
      if (name === 'NAMESPACE') found = values
      return name === 'NAMESPACE'
    }
    await connection.run(['NAMESPACE'], { onData })
  }
  const [mine = [], ...theirs] = found.map((kind) => (Array.isArray(kind) ? kind : []))
  const [own, ...others] = mine
  const [prefix, delimiter] = described(own)
  // The longest matching prefix decides whose a folder is.
  const foreign = [...others, ...theirs.flat()]
    .map((other) => described(other)[0])
    .filter(({ length }) => length > prefix.length)
  return { own: { prefix, delimiter: delimiter || '/' }, foreign }
}

/** A namespace's prefix and delimiter. */
function described(namespace: Token | undefined): [string, string] {
  const [prefix, delimiter] = Array.isArray(namespace) ? namespace : []
  return [textOf(prefix), textOf(delimiter)]
}

/** The selectable folders, with the requested counts. */
async function listFolders({ connection }: ImapSession, items?: string): Promise<Entry[]> {
  const extended = connection.can('LIST-EXTENDED')
  const statuses = items !== undefined && extended && connection.can('LIST-STATUS')
  const returns = [
    ...(extended && connection.can('SPECIAL-USE') ? ['SPECIAL-USE'] : []),
    ...(statuses ? [`STATUS (${items})`] : []),
  ]
  const entries = new Map<string, Entry>()
  const counts = new Map<string, ReadonlyMap<string, number>>()
  const onData = ({ name, values }: Data) => {
    if (name !== 'LIST' && name !== 'STATUS') return false
    const path = pathIn(values[name === 'LIST' ? 2 : 0])
    if (path === undefined) return true
    if (name === 'STATUS') counts.set(path, countsIn(values[1]))
    else {
      const attributes = atomsOf(values[0]).map((mark) => mark.toLowerCase())
      const selectable = !attributes.some((mark) => mark === '\\noselect' || mark === '\\nonexistent')
      if (selectable) entries.set(path, { path, attributes, status: new Map() })
    }
    return true
  }
  const returned = returns.length > 0 ? ` RETURN (${returns.join(' ')})` : ''
  const options = { onData, timeout: timeouts.wholeFolder }
  await connection.run([`LIST "" "*"${returned}`], options)
  if (items !== undefined && !statuses) {
    for (const path of entries.keys()) await connection.run([`STATUS ${mailbox(path)} (${items})`], options)
  }
  return [...entries.values()].map((entry) => ({ ...entry, status: counts.get(entry.path) ?? new Map() }))
}

/** What a STATUS response says. */
export function countsIn(token: Token | undefined): Map<string, number> {
  const list = Array.isArray(token) ? token : []
  const counts = new Map<string, number>()
  for (let at = 0; at + 1 < list.length; at += 2) counts.set(String(list[at]).toUpperCase(), numberOf(list[at + 1]))
  return counts
}
