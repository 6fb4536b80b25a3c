import { storageUsed } from '#/mail/store/storage.ts'
import { usageOf } from '#/people/usage/queries.ts'
import { type Completed, No } from '../answers.ts'
import type { Handler, Session } from '../session/session.ts'
import type { Command } from '../wire/arguments.ts'
import { astring, untagged } from '../wire/format.ts'
import { create, remove, rename } from './change.ts'
import { existingFolder, findFolder } from './existing.ts'
import { list, lsub, namespace } from './list.ts'
import { rightsFor } from './rights.ts'
import { readStatusItems, statusOf } from './status.ts'
import { subscribe, unsubscribe } from './stored.ts'
import { written } from './written.ts'

/** Commands on folders, which a client may send whatever is selected. */
export const folderCommands: Readonly<Record<string, Handler>> = {
  LIST: list,
  LSUB: lsub,
  NAMESPACE: namespace,
  STATUS: status,
  CREATE: create,
  DELETE: remove,
  RENAME: rename,
  SUBSCRIBE: subscribeTo,
  UNSUBSCRIBE: unsubscribeFrom,
  MYRIGHTS: myRights,
  LISTRIGHTS: listRights,
  GETACL: getAcl,
  SETACL: refuseSharing,
  DELETEACL: refuseSharing,
  SETQUOTA: refuseQuota,
  GETQUOTA: getQuota,
  GETQUOTAROOT: getQuotaRoot,
}

/** RFC 9051, section 6.3.11. */
async function status(session: Session, { args }: Command): Promise<Completed> {
  args.space()
  const given = args.mailbox()
  args.space()
  const wanted = readStatusItems(args)
  args.end()
  const { name, stored } = await existingFolder(session, given, 'read')
  await session.output.write(await statusOf(session, name, stored, wanted))
  return { text: 'That is its status' }
}

/** RFC 9051, section 6.3.7. Every folder is subscribed until a program ends that, so one that is not there cannot be. */
async function subscribeTo(session: Session, command: Command): Promise<Completed> {
  const { stored } = await existingFolder(session, onlyName(command), 'read')
  await subscribe(session.parts.db, session.user.mailbox, stored.id)
  return { text: 'Subscribed' }
}

/** RFC 9051, section 6.3.8. A program that has deleted a folder unsubscribes from it afterwards. */
async function unsubscribeFrom(session: Session, command: Command): Promise<Completed> {
  const found = await findFolder(session, onlyName(command), 'read').catch((error) => {
    if (!(error instanceof No && error.code === 'NONEXISTENT')) throw error
  })
  if (found) await unsubscribe(session.parts.db, session.user.mailbox, found.stored.id)
  return { text: 'Unsubscribed' }
}

/** RFC 4314, section 3.5. */
async function myRights(session: Session, command: Command): Promise<Completed> {
  const { name, level, folder } = await existingFolder(session, onlyName(command), 'read')
  await session.output.write(untagged(`MYRIGHTS ${written(session, name)} ${rightsFor(level, folder)}`))
  return { text: 'Those are your rights' }
}

/** RFC 4314, section 3.4: what somebody has, they always have, and no more can be given here. */
async function listRights(session: Session, { args }: Command): Promise<Completed> {
  args.space()
  const given = args.mailbox()
  args.space()
  const identifier = args.astring()
  args.end()
  const { name, level, folder } = await existingFolder(session, given, 'read')
  const rights = identifier.toLowerCase() === session.user.address ? rightsFor(level, folder) : '""'
  await session.output.write(untagged(`LISTRIGHTS ${written(session, name)} ${astring(identifier)} ${rights}`))
  return { text: 'Those are the rights' }
}

/** RFC 4314, section 3.3: of the user alone. Whom else a mailbox is shared with is no matter of a mail program. */
async function getAcl(session: Session, command: Command): Promise<Completed> {
  const { name, level, folder } = await existingFolder(session, onlyName(command), 'read')
  const identifier = astring(session.user.address)
  await session.output.write(untagged(`ACL ${written(session, name)} ${identifier} ${rightsFor(level, folder)}`))
  return { text: 'Those are the rights' }
}

async function refuseSharing(): Promise<Completed> {
  throw new No('Mailboxes are shared in the web app', 'NOPERM')
}

async function refuseQuota(): Promise<Completed> {
  throw new No('The quota is that of the plan', 'NOPERM')
}

/** RFC 9208. There is one quota root, the organization, which has no name. */
async function getQuota(session: Session, { args }: Command): Promise<Completed> {
  args.space()
  const root = args.astring()
  args.end()
  if (root !== '') throw new No('No such quota root', 'NONEXISTENT')
  await session.output.write(await quotaOf(session))
  return { text: 'That is the quota' }
}

async function getQuotaRoot(session: Session, command: Command): Promise<Completed> {
  const { name } = await existingFolder(session, onlyName(command), 'read')
  await session.output.write(untagged(`QUOTAROOT ${written(session, name)} ""`))
  await session.output.write(await quotaOf(session))
  return { text: 'That is the quota' }
}

/** In units of 1,024 octets. */
async function quotaOf({ parts: { db }, user }: Session): Promise<string> {
  const { organizationId } = user.mailbox
  const { storage } = await usageOf(db, organizationId, await storageUsed(db, organizationId))
  return untagged(`QUOTA "" (STORAGE ${Math.ceil(storage.used / 1_024)} ${Math.floor(storage.limit / 1_024)})`)
}

function onlyName({ args }: Command): string {
  args.space()
  const name = args.mailbox()
  args.end()
  return name
}
