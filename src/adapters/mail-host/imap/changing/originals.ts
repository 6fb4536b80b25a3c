import type { Logger } from 'pino'
import type { Db } from '#/db/schema.ts'
import type { Originals } from '#/mime/header/originals.ts'
import type { MailboxRef } from '#/ports/mail-host.ts'
import type { ImapSession } from '../client/session.ts'
import { uidSet } from '../client/syntax.ts'
import type { Layout } from '../folders/layout.ts'
import { readFlags } from '../reading/contents.ts'
import { logOwnChanges, marksText, type OwnChange } from '../watch/own-changes.ts'
import { uidsNamed } from './append.ts'
import { refused } from './refused.ts'

interface Parts {
  readonly db: Db
  readonly log: Logger
}

const flagOf = { answered: '\\Answered', forwarded: '$Forwarded' } as const
type As = keyof typeof flagOf

/** Marks what messages answer or forward, in all folders, and logs it. A server that refuses that has the messages all the same. */
export async function markOriginals(
  { db, log }: Parts,
  session: ImapSession,
  layout: Layout,
  mailbox: MailboxRef,
  messages: readonly { readonly originals: Originals }[],
): Promise<void> {
  const wanted = (as: As) => new Set(messages.flatMap(({ originals }) => originals[as]))
  const ids = { answered: wanted('answered'), forwarded: wanted('forwarded') }
  if (ids.answered.size + ids.forwarded.size === 0) return
  for (const { name: folder, path } of await layout.everyFolder(session)) {
    try {
      for (const as of ['answered', 'forwarded'] as const) {
        const own = await markIn(session, path, as, ids[as])
        const { organizationId, mailboxId } = mailbox
        const events = own.map(({ uid }) => {
          return { organizationId, type: 'message.changed', mailboxId, data: { folder, uid, [as]: true } } as const
        })
        await logOwnChanges(db, { mailbox, own: own.map((one) => ({ folder, ...one })), events, by: undefined })
      }
    } catch (err) {
      if (!refused(err)) throw err
      log.warn({ err, mailbox: mailbox.mailboxId }, 'the mail server does not mark what was answered or forwarded')
    }
  }
}

/** Marks the messages of a folder with these ids; answers those that were not. */
async function markIn(
  session: ImapSession,
  path: string,
  as: As,
  ids: ReadonlySet<string>,
): Promise<Omit<OwnChange, 'folder'>[]> {
  const folder = ids.size > 0 ? await session.select(path) : undefined
  const flag = flagOf[as]
  if (!folder || folder.exists === 0 || !folder.keeps(flag.toLowerCase())) return []
  const found = new Set<number>()
  for (const id of ids) for (const uid of await uidsNamed(session, id)) found.add(uid)
  const lacking = [...(await readFlags(session, folder, [...found]))].filter(([, flags]) => !flags[as])
  if (lacking.length === 0) return []
  await session.connection.run([`UID STORE ${uidSet(lacking.map(([uid]) => uid))} +FLAGS (${flag})`])
  return lacking.map(([uid, { modseq, ...before }]) => {
    return { uid, modseq, before: marksText(before), became: marksText({ ...before, [as]: true }) }
  })
}
