import { invalid } from '#/errors.ts'
import { standingFolders } from '#/messages/folder-name.ts'
import { decodeUtf7, encodeUtf7 } from '#/mime/modified-utf7.ts'
import type { FolderStatus } from '#/ports/mail-host.ts'
import { patience } from './connection.ts'
import { atomsOf, bytesOf, type Data, numberOf, type Token, textOf } from './response.ts'
import type { Session } from './session.ts'
import { CommandRefused } from './trouble.ts'
import { quoted } from './words.ts'

type Standing = (typeof standingFolders)[number]

/** How a server marks the folders that every mailbox has (RFC 6154), and what they are called where it marks none. */
const uses: Readonly<Record<Exclude<Standing, 'inbox'>, { readonly mark: string; readonly usual: string }>> = {
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
}

interface Entry {
  readonly path: string
  readonly attributes: readonly string[]
  readonly status: ReadonlyMap<string, number>
}

/** What a mailbox's folders are called on its server. */
export class Layout {
  readonly #prefix: string
  readonly #delimiter: string
  /** What folders of others begin with, and those that several share. */
  readonly #foreign: readonly string[]
  readonly #paths: ReadonlyMap<string, string>

  private constructor({ prefix, delimiter, foreign }: Namespaces, paths: ReadonlyMap<string, string>) {
    this.#prefix = prefix
    this.#delimiter = delimiter
    this.#foreign = foreign
    this.#paths = paths
  }

  /** Reads it, and makes those of the standing folders that lack. */
  static async read(session: Session): Promise<Layout> {
    const namespaces = await namespacesOf(session)
    const entries = await listFolders(session)
    const paths = new Map<string, string>([['inbox', 'INBOX']])
    for (const [name, { mark, usual }] of Object.entries(uses)) {
      const marked = entries.find(({ attributes }) => attributes.includes(mark.toLowerCase()))
      const path = marked?.path ?? namespaces.prefix + usual
      paths.set(name, path)
      if (!entries.some((entry) => entry.path === path)) await makeFolder(session, path, mark)
    }
    return new Layout(namespaces, paths)
  }

  /** @throws invalid for a name that the server cannot hold, or has for something else */
  pathOf(name: string): string {
    const { path, problem } = this.#place(name)
    if (path === undefined) throw invalid('folder', problem)
    return path
  }

  /** Undefined for what cannot be called by a name of ours. */
  nameOf(path: string): string | undefined {
    for (const [name, own] of this.#paths) if (own === path) return name
    if (!path.startsWith(this.#prefix)) return undefined
    const name = path.slice(this.#prefix.length).split(this.#delimiter).map(decodeUtf7).join('/')
    return !this.#paths.has(name) && this.#place(name).path === path ? name : undefined
  }

  #place(name: string): { path: string; problem?: never } | { path?: never; problem: string } {
    const standing = this.#paths.get(name)
    if (standing !== undefined) return { path: standing }
    const steps = name.split('/')
    if (this.#delimiter !== '/' && steps.some((step) => step.includes(this.#delimiter))) {
      return { problem: `On this mail server a folder must not hold ${JSON.stringify(this.#delimiter)}` }
    }
    const path = this.#prefix + steps.map(encodeUtf7).join(this.#delimiter)
    const foreign = this.#foreignPrefixOf(path)
    if (foreign === undefined) return { path }
    return {
      problem: `On this mail server what begins with ${JSON.stringify(foreign)} is no folder of the mailbox's own`,
    }
  }

  #foreignPrefixOf(path: string): string | undefined {
    return this.#foreign.find((prefix) => (path + this.#delimiter).startsWith(prefix))
  }

  /** All folders with mail of the mailbox, also those that other programs made under a name that none of ours can have:
   *  these are called otherwise. */
  async everyFolder(session: Session): Promise<{ name: string; path: string }[]> {
    const names = new Set<string>(this.#paths.keys())
    const found: { name: string; path: string }[] = []
    for (const { path } of await listFolders(session)) {
      if (path !== 'INBOX' && (!path.startsWith(this.#prefix) || this.#foreignPrefixOf(path) !== undefined)) continue
      const own = this.nameOf(path)
      let name = own ?? path.slice(this.#prefix.length).split(this.#delimiter).map(decodeUtf7).join('/')
      while (own === undefined && names.has(name)) name += ' (2)'
      names.add(name)
      found.push({ name, path })
    }
    return found
  }

  /** All folders, the standing ones first and in their order. */
  async statuses(session: Session): Promise<Listed[]> {
    const items = `MESSAGES UNSEEN${session.connection.can('STATUS=SIZE') ? ' SIZE' : ''}`
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
      }
    })
    return listed.sort((a, b) => rank(a.name) - rank(b.name) || (a.name < b.name ? -1 : 1))
  }
}

/** Makes a folder, unless another has just done so, and shows it in the lists of mail programs. */
export async function makeFolder({ connection }: Session, path: string, mark?: string): Promise<void> {
  const use = mark !== undefined && connection.can('CREATE-SPECIAL-USE') ? ` (USE (${mark}))` : ''
  try {
    await connection.run([`CREATE ${quoted(path)}${use}`])
  } catch (error) {
    if (!(error instanceof CommandRefused && (await isThere(connection, path)))) throw error
  }
  await connection.run([`SUBSCRIBE ${quoted(path)}`]).catch((error) => {
    if (!(error instanceof CommandRefused)) throw error
  })
}

async function isThere(connection: Session['connection'], path: string): Promise<boolean> {
  let found = false
  await connection.run([`LIST "" ${quoted(path)}`], ({ name }) => {
    found ||= name === 'LIST'
    return name === 'LIST'
  })
  return found
}

/** Where folders are (RFC 2342): the mailbox's own, and any other. */
interface Namespaces {
  readonly prefix: string
  readonly delimiter: string
  readonly foreign: readonly string[]
}

async function namespacesOf({ connection }: Session): Promise<Namespaces> {
  let found: readonly Token[] = []
  if (connection.can('NAMESPACE')) {
    await connection.run(['NAMESPACE'], ({ name, values }) => {
      if (name === 'NAMESPACE') found = values
      return name === 'NAMESPACE'
    })
  }
  const [mine = [], ...theirs] = found.map((kind) => (Array.isArray(kind) ? kind : []))
  const [own, ...others] = mine
  const [prefix, delimiter] = described(own)
  // The longest prefix that fits says whose a folder is.
  const foreign = [...others, ...theirs.flat()]
    .map((other) => described(other)[0])
    .filter(({ length }) => length > prefix.length)
  return { prefix, delimiter: delimiter || '/', foreign }
}

/** A namespace's prefix and delimiter. */
function described(namespace: Token | undefined): [string, string] {
  const [prefix, delimiter] = Array.isArray(namespace) ? namespace : []
  return [textOf(prefix), textOf(delimiter)]
}

/** Those that can be selected, with the counts asked for. */
async function listFolders({ connection }: Session, items?: string): Promise<Entry[]> {
  const extended = connection.can('LIST-EXTENDED')
  const statuses = items !== undefined && extended && connection.can('LIST-STATUS')
  const options = [
    ...(extended && connection.can('SPECIAL-USE') ? ['SPECIAL-USE'] : []),
    ...(statuses ? [`STATUS (${items})`] : []),
  ]
  const entries = new Map<string, Entry>()
  const counts = new Map<string, ReadonlyMap<string, number>>()
  const take = ({ name, values }: Data) => {
    if (name === 'STATUS') counts.set(pathIn(values[0]), countsIn(values[1]))
    else if (name === 'LIST') {
      const [marks, , path] = values
      const attributes = atomsOf(marks).map((mark) => mark.toLowerCase())
      if (isAscii(pathIn(path)) && !attributes.some((mark) => mark === '\\noselect' || mark === '\\nonexistent')) {
        entries.set(pathIn(path), { path: pathIn(path), attributes, status: new Map() })
      }
    } else return false
    return true
  }
  const returned = options.length > 0 ? ` RETURN (${options.join(' ')})` : ''
  await connection.run([`LIST "" "*"${returned}`], take, patience.whole)
  if (items !== undefined && !statuses) {
    for (const path of entries.keys()) await connection.run([`STATUS ${quoted(path)} (${items})`], take, patience.whole)
  }
  return [...entries.values()].map((entry) => ({ ...entry, status: counts.get(entry.path) ?? new Map() }))
}

function pathIn(token: Token | undefined): string {
  const path = bytesOf(token)?.toString('latin1') ?? ''
  return path.toUpperCase() === 'INBOX' ? 'INBOX' : path
}

/** What else a server may call a folder, no command of ours can name. */
function isAscii(path: string): boolean {
  return /^[\x20-\x7e]+$/.test(path)
}

function countsIn(token: Token | undefined): Map<string, number> {
  const list = Array.isArray(token) ? token : []
  const counts = new Map<string, number>()
  for (let at = 0; at + 1 < list.length; at += 2) counts.set(String(list[at]).toUpperCase(), numberOf(list[at + 1]))
  return counts
}

function rank(name: string): number {
  const at = (standingFolders as readonly string[]).indexOf(name)
  return at < 0 ? standingFolders.length : at
}
