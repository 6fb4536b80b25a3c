import { hash } from 'node:crypto'
import { invalid } from '#/errors.ts'
import { noSuchFolder } from '#/mail/folder-names.ts'
import { readsAsItself } from '#/messages/folders/folder-name.ts'
import { normalized } from '#/unicode.ts'
import { type Namespace, nameOf, pathOf } from '../client/mailbox-name.ts'

/** Prefixes of folders (RFC 2342): the mailbox's own, and all others. */
export interface Namespaces {
  readonly own: Namespace
  readonly foreign: readonly string[]
}

/** The names of a mailbox's folders by their paths, and the paths by their names. Every name reads as itself: other programs create
 *  folders that the API would read as another one, as `Spam` beside `junk`, or not at all, as `100%`. Such a folder has an alias. */
export class FolderNames {
  readonly #own: Namespace
  readonly #foreign: readonly string[]
  readonly #standard: ReadonlyMap<string, string>
  readonly #paths = new Map<string, string>()

  /** `standard` has the paths of the standard folders by their names. */
  constructor({ own, foreign }: Namespaces, standard: ReadonlyMap<string, string>) {
    this.#own = own
    this.#foreign = foreign
    this.#standard = standard
  }

  get delimiter(): string {
    return this.#own.delimiter
  }

  isStandard(path: string): boolean {
    return this.#standard.values().some((standard) => standard === path)
  }

  /** The name of a folder of the mailbox's own, whose path the server has listed; undefined for all others. */
  nameOf(path: string): string | undefined {
    for (const [name, standard] of this.#standard) if (standard === path) return name
    if (path !== 'INBOX' && (!path.startsWith(this.#own.prefix) || this.#foreignPrefixOf(path) !== undefined))
      return undefined
    const name = nameOf(path, this.#own)
    if (this.#leadsTo(name, path)) return name
    const alias = aliasOf(name, path)
    this.#paths.set(alias, path)
    return alias
  }

  /** Whether no command that names the folder can be answered in a way that breaks responses: Dovecot repeats a name unchanged in the
   *  text of a NO, where a line break would end the response in the middle. */
  isSafe(path: string): boolean {
    return !hasControls(nameOf(path, this.#own))
  }

  /** Whether the folder has another name for the API than for mail programs. */
  isAliased(path: string): boolean {
    return !this.isStandard(path) && !this.#leadsTo(nameOf(path, this.#own), path)
  }

  /** Whether it is an alias of a folder that the server has not listed yet. */
  isUnknown(name: string): boolean {
    return isAlias(name) && !this.#paths.has(name)
  }

  /** @throws invalid for a name that the server cannot have, or uses for something else, and for an unknown alias */
  pathOf(name: string): string {
    const known = this.#standard.get(name) ?? this.#paths.get(name)
    if (known !== undefined) return known
    if (isAlias(name)) throw noSuchFolder(name)
    const problem = this.#problemOf(name)
    if (problem !== undefined) throw invalid('folder', problem)
    return pathOf(name, this.#own)
  }

  #leadsTo(name: string, path: string): boolean {
    return (
      !this.#standard.has(name) &&
      !isAlias(name) &&
      this.#problemOf(name) === undefined &&
      pathOf(name, this.#own) === path &&
      readsAsItself(name)
    )
  }

  #problemOf(name: string): string | undefined {
    if (hasControls(name)) return 'On a mail server a folder must not hold control characters'
    const { delimiter } = this.#own
    if (delimiter !== '/' && name.includes(delimiter))
      return `On this mail server a folder must not hold ${JSON.stringify(delimiter)}`
    const foreign = this.#foreignPrefixOf(pathOf(name, this.#own))
    if (foreign === undefined) return undefined
    return `On this mail server what begins with ${JSON.stringify(foreign)} is no folder of the mailbox's own`
  }

  #foreignPrefixOf(path: string): string | undefined {
    return this.#foreign.find((prefix) => (path + this.#own.delimiter).startsWith(prefix))
  }
}

function hasControls(name: string): boolean {
  return /\p{Cc}/u.test(name)
}

const digits = 12

/** Octets of the name in an alias: an API's folder name has at most 255. */
const mostShown = 200

/** Follows from the path alone, so that it never comes to mean another folder. */
function aliasOf(name: string, path: string): string {
  return `${shown(name)} ~${hash('sha256', path, 'hex').slice(0, digits)}`
}

function isAlias(name: string): boolean {
  return /~[0-9a-f]{12}$/.test(name)
}

/** What the API can read of a name. */
function shown(name: string): string {
  const readable = normalized(name.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}*%]/gu, '_'), 'NFC')
  const steps = readable.split('/').map((step) => step.trim() || '_')
  let [text, octets] = ['', 0]
  for (const character of steps.join('/')) {
    octets += Buffer.byteLength(character)
    if (octets > mostShown) break
    text += character
  }
  return text.replace(/[\s/]+$/u, '')
}
