import { type Recounted, recountStorage } from '#/people/usage/recount.ts'
import { type Counters, type Recount, type RecountedFolder, recountFolders } from '#/people/usage/recount-folders.ts'
import { command } from '../command.ts'
import { grouped, table } from '../table.ts'

/** It also works while the service runs, which does the same by and by (src/app/server/housekeeping.ts). */
export const countersCommand = command({
  name: 'doctor --counters',
  summary:
    'Count the messages of all folders and labels and the storage in use anew, say what was wrong, and put it right',
  operands: [],
  options: {},
  run: async ({ database: { db } }, _given, onProgress) => {
    const recount = await recountFolders(db, undefined, (folders) => onProgress(`Counted ${grouped(folders)} folders`))
    // After the folders, whose sizes it adds up.
    const storage = await recountStorage(db)
    const { folders, changing } = recount
    const value = { folders, changing, wrong_folders: recount.wrong.map(presented), wrong_storage: storage.map(stored) }
    return { value, text: textOf(recount, storage) }
  },
})

function textOf({ folders, wrong, changing }: Recount, storage: readonly Recounted[]): string {
  const rows = [
    ...wrong.map((one) => [`folder ${one.folderId} of mailbox ${one.mailboxId}`, said(one.before), rightNow(one)]),
    ...storage.map(({ organizationId, before, bytes }) => [
      `storage of organization ${organizationId}`,
      `${grouped(before)} octets`,
      `${grouped(bytes)} octets`,
    ]),
  ]
  const counted = `Counted ${grouped(folders)} folder${folders === 1 ? '' : 's'}`
  return [
    ...(rows.length > 0 ? [table(['COUNTER', 'WAS', 'IS'], rows, ''), ''] : []),
    rows.length > 0 ? `${counted}. What was wrong is right now.` : `${counted}. Nothing was wrong.`,
    ...(changing > 0
      ? [`${grouped(changing)} changed whenever they were counted, and are left as they are. Try again later.`]
      : []),
  ].join('\n')
}

function said({ total, unread, bytes }: Counters): string {
  return `${grouped(total)} messages, ${grouped(unread)} unread, ${grouped(bytes)} octets`
}

function rightNow({ now, labels, listed }: RecountedFolder): string {
  const totals = labels > 0 ? `, ${grouped(labels)} totals of labels corrected` : ''
  return `${said(now)}${totals}${listed > 0 ? `, ${grouped(listed)} entries of labels corrected` : ''}`
}

function presented({ organizationId, mailboxId, folderId, before, now, labels, listed }: RecountedFolder) {
  return { organization_id: organizationId, mailbox_id: mailboxId, folder_id: folderId, before, now, labels, listed }
}

function stored({ organizationId, before, bytes }: Recounted) {
  return { organization_id: organizationId, before, now: bytes }
}
