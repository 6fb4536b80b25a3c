import { randomUUID } from 'node:crypto'
import { inListOrder } from '#/mail/folder-names.ts'
import type { standardFolders } from '#/messages/folders/folder-name.ts'
import type { FolderState } from '#/ports/folder-changes.ts'
import type { FolderStatus } from '#/ports/mail-host.ts'
import { timeouts } from '../client/connection.ts'
import { CommandRefused, unlessRefused } from '../client/errors.ts'
import { mailbox, pathIn } from '../client/mailbox-name.ts'
import { atomsOf, type Data, numberOf, type Token, textOf } from '../client/response.ts'
import type { ImapSession } from '../client/session.ts'
import { FolderNames, type Namespaces } from './folder-names.ts'

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

/** The folders of a mailbox on its server. */
export class Layout {
  readonly #names: FolderNames

  private constructor(names: FolderNames) {
    this.#names = names
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
    return new Layout(new FolderNames(namespaces, paths))
  }

  /** Looks at the folders again if the name is an alias that is not known. @throws invalid for a name that the server cannot have,
   *  or uses for something else */
  async pathOf(session: ImapSession, name: string): Promise<string> {
    if (this.#names.isUnknown(name)) await this.everyFolder(session)
    return this.#names.pathOf(name)
  }

  /** The path of a folder as far as it is known without the server. */
  knownPathOf(name: string): string | undefined {
    return this.#names.isUnknown(name) ? undefined : this.#names.pathOf(name)
  }

  /** Between the steps of a path. */
  get delimiter(): string {
    return this.#names.delimiter
  }

  /** A path of the mailbox's own that no folder has. */
  newPath(): string {
    return this.#names.pathOf(`Removed ${randomUUID()}`)
  }

  /** Whether it is one of the six standard folders. */
  isStandard(path: string): boolean {
    return this.#names.isStandard(path)
  }

  /** Whether the folder has another name for the API than for mail programs. */
  isAliased(path: string): boolean {
    return this.#names.isAliased(path)
  }

  /** All folders with mail of the mailbox. */
  async everyFolder(session: ImapSession): Promise<{ name: string; path: string }[]> {
    return (await listFolders(session)).flatMap(({ path }) => {
      const name = this.#names.nameOf(path)
      return name === undefined ? [] : { name, path }
    })
  }

  /** All folders, the standard ones first and in their order. */
  async statuses(session: ImapSession): Promise<Listed[]> {
    const { connection } = session
    // A server with QRESYNC may omit CONDSTORE.
    const modseq = connection.can('CONDSTORE') || connection.can('QRESYNC') ? ' HIGHESTMODSEQ' : ''
    const items = `MESSAGES UNSEEN UIDVALIDITY UIDNEXT${modseq}${connection.can('STATUS=SIZE') ? ' SIZE' : ''}`
    const entries = await listFolders(session, items)
    const listed = entries.flatMap(({ path, status }) => {
      const name = this.#names.isSafe(path) ? this.#names.nameOf(path) : undefined
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
