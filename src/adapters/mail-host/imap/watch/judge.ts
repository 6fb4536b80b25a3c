import type { NewEvent } from '#/events/append.ts'
import { deleted } from '#/mail/changed.ts'
import { received } from '#/mail/received.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import { flagsIn } from '../reading/contents.ts'
import type { FolderLook } from './look.ts'
import type { Noted } from './queries.ts'

/** Decides which events a look at a folder causes: changes by others than Mailroom. Undefined if Mailroom has changed one of
 *  the messages meanwhile; then the look's events would come after newer ones. */
export function judgeOf(
  mailbox: MailboxRef,
  looks: readonly FolderLook[],
  noted: readonly Noted[],
): (look: FolderLook) => NewEvent[] | undefined {
  const ours = new Ours(looks, noted)
  return ({ before, after: { name: folder, uidNext }, changed, came, gone }) => {
    if (!before) return []
    const events: NewEvent[] = []
    for (const [uid, marks] of [...came, ...changed]) {
      if (ours.isMoving(folder, uid, marks)) return undefined
      if (ours.accountsFor(folder, uid, marks)) continue
      const state = stateOf(marks)
      const isOthers = came.has(uid) && !ours.broughtIn(folder, uid) && folder !== 'drafts'
      const added = isOthers ? received([{ mailbox, folder, uid }]) : [changedTo(mailbox, folder, uid)]
      events.push(...added.map((one) => ({ ...one, data: { ...one.data, ...state } })))
    }
    const cameAndWent = ours.uidsOf(folder).filter((uid) => uid >= before.uidNext && uid < uidNext && !came.has(uid))
    const byOthers = [...gone, ...cameAndWent].filter((uid) => !ours.tookOut(folder, uid))
    return [...events, ...deleted(mailbox, folder, byOthers)]
  }
}

/** Mailroom's own changes since the looks before. */
class Ours {
  readonly #knownUpTo: ReadonlyMap<string, number>
  readonly #noted: ReadonlyMap<string, ReadonlyMap<number, readonly Noted[]>>

  constructor(looks: readonly FolderLook[], noted: readonly Noted[]) {
    this.#knownUpTo = new Map(looks.flatMap(({ before, after }) => (before ? [[after.name, before.modseq]] : [])))
    const byFolder = Map.groupBy(noted, ({ folder }) => folder)
    this.#noted = new Map([...byFolder].map(([folder, all]) => [folder, Map.groupBy(all, ({ uid }) => uid)]))
  }

  uidsOf(folder: string): number[] {
    return [...(this.#noted.get(folder)?.keys() ?? [])]
  }

  /** Whether it may have changed the message after the look. */
  isMoving(folder: string, uid: number, marks: string): boolean {
    const all = this.#of(folder, uid)
    return all.some(({ recent }) => recent) && all.at(-1)?.became !== marks
  }

  broughtIn(folder: string, uid: number): boolean {
    return this.#of(folder, uid).some(({ before, became }) => before === null && became !== null)
  }

  tookOut(folder: string, uid: number): boolean {
    return this.#of(folder, uid).at(-1)?.became === null
  }

  /** Whether Mailroom's changes alone, one after the other since the last look, explain the state of a message. */
  accountsFor(folder: string, uid: number, marks: string): boolean {
    return this.#endsIn(folder, this.#of(folder, uid), marks)
  }

  #of(folder: string, uid: number): readonly Noted[] {
    return this.#noted.get(folder)?.get(uid) ?? []
  }

  #endsIn(folder: string, all: readonly Noted[], marks: string | null): boolean {
    let state: string | null | undefined
    for (const one of all) {
      if (!this.#follows(folder, one, state)) return false
      state = one.became
    }
    return state === marks
  }

  #follows(folder: string, { before, modseq, fromFolder, fromUid }: Noted, state: string | null | undefined): boolean {
    if (before === null) {
      const isNew = fromFolder === null || fromUid === null
      return isNew || this.#endsIn(fromFolder, this.#of(fromFolder, fromUid), null)
    }
    return before === state || (modseq !== null && modseq <= (this.#knownUpTo.get(folder) ?? 0))
  }
}

function changedTo({ organizationId, mailboxId }: MailboxRef, folder: string, uid: number): NewEvent {
  return { organizationId, type: 'message.changed', mailboxId, data: { folder, uid } }
}

function stateOf(marks: string) {
  const { seen, flagged, answered, forwarded, keywords } = flagsIn(marks.split(' ').filter((mark) => mark !== ''))
  return { unread: !seen, starred: flagged, answered, forwarded, labels: [...keywords] }
}
