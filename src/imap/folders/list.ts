import { setImmediate as breathe } from 'node:timers/promises'
import type { Completed } from '../answers.ts'
import type { Session } from '../session/session.ts'
import type { Command } from '../wire/arguments.ts'
import { untagged } from '../wire/format.ts'
import { readList } from './list-command.ts'
import { type Listed, listed, lsubbed } from './listing.ts'
import { rightsFor } from './rights.ts'
import { statusOf } from './status.ts'
import { treeOf } from './tree.ts'
import { written } from './written.ts'

/** Names that are compared with patterns before others may work. */
const atATime = 20

/** LIST (RFC 9051, section 6.3.9; RFC 5258, 5819, 6154 and 8440). */
export async function list(session: Session, { args }: Command): Promise<Completed> {
  const { selection, patterns, isOfSeparator, wanted } = readList(args)
  if (isOfSeparator) {
    await session.output.write(untagged('LIST (\\Noselect) "/" ""'))
    return { text: 'Listed' }
  }
  let looked = 0
  for (const one of listed(await treeOf(session), { selection, patterns, saysSubscribed: wanted.subscribed })) {
    if (++looked % atATime === 0) await breathe()
    if (!one) continue
    await session.output.write(lineOf(session, one))
    const { name, level, folder } = one.node
    if (wanted.rights && folder)
      await session.output.write(untagged(`MYRIGHTS ${written(session, name)} ${rightsFor(level, folder.name)}`))
    if (wanted.status.length > 0 && folder)
      await session.output.write(await statusOf(session, name, folder, wanted.status))
  }
  return { text: 'Listed' }
}

function lineOf(session: Session, { node, attributes, childInfo }: Listed): string {
  const info = childInfo.length > 0 ? ` ("CHILDINFO" (${childInfo.map((one) => `"${one}"`).join(' ')}))` : ''
  return untagged(`LIST (${attributes.join(' ')}) "/" ${written(session, node.name)}${info}`)
}

/** LSUB of IMAP4rev1 (RFC 3501, section 6.3.9). */
export async function lsub(session: Session, { args }: Command): Promise<Completed> {
  args.space()
  const reference = args.mailbox()
  args.space()
  const pattern = args.mailbox()
  args.end()
  for (const { name, isSubscribed } of lsubbed(await treeOf(session), reference + pattern)) {
    const attributes = isSubscribed ? '' : '\\Noselect'
    await session.output.write(untagged(`LSUB (${attributes}) "/" ${written(session, name)}`))
  }
  return { text: 'Listed' }
}

/** NAMESPACE (RFC 9051, section 6.3.10): the own mailbox, and those of others that are shared with the user. */
export async function namespace(session: Session, { args }: Command): Promise<Completed> {
  args.end()
  await session.output.write(untagged(`NAMESPACE (("" "/")) (("Shared/" "/")) NIL`))
  return { text: 'These are the roots' }
}
