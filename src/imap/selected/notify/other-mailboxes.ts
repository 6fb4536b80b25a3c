import { No } from '../../answers.ts'
import { statusOf } from '../../folders/status.ts'
import type { StoredFolder } from '../../folders/stored.ts'
import { type Node, treeOf } from '../../folders/tree.ts'
import { written } from '../../folders/written.ts'
import type { Session } from '../../session/session.ts'
import { untagged } from '../../wire/format.ts'
import type { Group, NotifyEvent } from './notify-set.ts'

/** Folders of which NOTIFY remembers the state for one client. */
const mostFolders = 5_000

/** There are more mailboxes than can be remembered, for this client or for all. */
export class Overflow extends No {
  constructor() {
    super('There are too many mailboxes to watch', 'NOTIFICATIONOVERFLOW')
  }
}

interface Listed {
  readonly name: string
  readonly isOwn: boolean
  readonly folder: StoredFolder
}

/** The mailboxes of which a client has been told, beside the selected one. They take part of what may be remembered for all clients. */
export class OtherMailboxes implements Disposable {
  readonly #session: Session
  readonly #groups: readonly Group[]
  readonly #room = new DisposableStack()
  #remembered = 0
  #known: ReadonlyMap<number, Listed> = new Map()

  constructor(session: Session, groups: readonly Group[]) {
    this.#session = session
    this.#groups = groups
  }

  /** The mailboxes that they are in, by id. */
  get mailboxIds(): Set<string> {
    return new Set(Array.from(this.#known.values(), ({ folder }) => folder.mailboxId))
  }

  async begin(): Promise<void> {
    this.#known = await this.#read()
  }

  /** STATUS of all of whose messages something is wanted (RFC 5465, section 4). */
  async tellAll(): Promise<void> {
    for (const one of this.#known.values())
      if (this.#wants(one, 'MessageNew') && !this.#isSelected(one)) await this.#tellStatus(one)
  }

  /** What has changed since the last time. */
  async tellChanges(): Promise<void> {
    const [before, now] = [this.#known, await this.#read()]
    this.#known = now
    for (const [id, one] of before) if (!now.has(id)) await this.#tellName(one, { isGone: true })
    for (const [id, one] of now) {
      const then = before.get(id)
      if (then?.name !== one.name) await this.#tellName(one, { oldName: then?.name })
      else if (then.folder.isSubscribed !== one.folder.isSubscribed) await this.#tellSubscription(one)
      if (!this.#isSelected(one) && this.#isNews(then, one)) await this.#tellStatus(one)
    }
  }

  async #read(): Promise<Map<number, Listed>> {
    const all = new Map<number, Listed>()
    for (const node of (await treeOf(this.#session)).values()) {
      const listed = listedOf(node)
      if (listed) all.set(listed.folder.id, listed)
    }
    await this.#makeRoom(all.size)
    return all
  }

  async #makeRoom(folders: number): Promise<void> {
    const more = folders - this.#remembered
    if (more <= 0) return
    const room = folders > mostFolders ? undefined : await this.#session.remember(more)
    if (!room) throw new Overflow()
    this.#remembered = folders
    if (this.#room.disposed) room[Symbol.dispose]()
    else this.#room.use(room)
  }

  [Symbol.dispose](): void {
    this.#room.dispose()
  }

  #wants({ name, isOwn, folder: { isSubscribed } }: Listed, event: NotifyEvent): boolean {
    const group = this.#groups.find(({ matches }) => matches({ name, isOwn, isSubscribed }))
    return group?.events.has(event) ?? false
  }

  #isSelected({ folder }: Listed): boolean {
    return this.#session.selected?.folderId === folder.id
  }

  /** Whether STATUS is to tell it (RFC 5465, sections 5.2 to 5.4). */
  #isNews(then: Listed | undefined, now: Listed): boolean {
    const { folder } = now
    const [total, uidNext] = [then?.folder.total ?? 0, then?.folder.uidNext ?? 1]
    if (total !== folder.total || uidNext !== folder.uidNext) return this.#wants(now, 'MessageNew')
    return then !== undefined && then.folder.modseq !== folder.modseq && this.#wants(now, 'FlagChange')
  }

  async #tellStatus(one: Listed): Promise<void> {
    const items = [
      ...['MESSAGES', 'UIDNEXT', 'UIDVALIDITY'],
      ...(this.#wants(one, 'FlagChange') ? ['UNSEEN'] : []),
      ...(this.#session.enabled.has('CONDSTORE') ? ['HIGHESTMODSEQ'] : []),
    ]
    await this.#session.output.write(await statusOf(this.#session, one.name, one.folder, items))
  }

  /** A mailbox that was made, renamed or deleted (RFC 5465, section 5.5). */
  async #tellName(
    one: Listed,
    { isGone = false, oldName }: { isGone?: boolean; oldName?: string | undefined },
  ): Promise<void> {
    const wasWanted = oldName !== undefined && this.#wants({ ...one, name: oldName }, 'MailboxName')
    if (!wasWanted && !this.#wants(one, 'MailboxName')) return
    const old = oldName === undefined ? '' : ` ("OLDNAME" (${this.#written(oldName)}))`
    await this.#tellList(one, isGone ? '\\NonExistent' : '', old)
  }

  async #tellSubscription(one: Listed): Promise<void> {
    // The filter SUBSCRIBED had it before, or has it now.
    const isWanted = [true, false].some((isSubscribed) =>
      this.#wants({ ...one, folder: { ...one.folder, isSubscribed } }, 'SubscriptionChange'),
    )
    if (isWanted) await this.#tellList(one, one.folder.isSubscribed ? '\\Subscribed' : '', '')
  }

  async #tellList({ name }: Listed, attributes: string, more: string): Promise<void> {
    await this.#session.output.write(untagged(`LIST (${attributes}) "/" ${this.#written(name)}${more}`))
  }

  #written(name: string): string {
    return written(this.#session, name)
  }
}

function listedOf({ name, level, folder }: Node): Listed | undefined {
  return folder && { name, isOwn: level === 'own', folder }
}
