import type { Level } from '#/http/access/caller.ts'
import { isStandardFolder } from '#/mail/store/folder-name.ts'

/** Rights of RFC 4314 by what a user may do with a mailbox: l, r see it and read it; s, w, t, e set flags and remove messages; i adds
 *  messages; k, x create and delete folders; p sends from it; c, d are the names of k, x and of t, e in older programs. Nobody has a:
 *  mailboxes are shared in the web app. */
const rightsOf: Record<Level | 'own', string> = {
  read: 'lr',
  change: 'lrswikxtecd',
  send: 'lrswipkxtecd',
  own: 'lrswipkxtecd',
}

/** The rights for a folder, as the store names it. A standard one cannot be deleted. */
export function rightsFor(level: Level | 'own', folder: string | undefined): string {
  const rights = rightsOf[level]
  return folder !== undefined && isStandardFolder(folder) ? rights.replace('x', '') : rights
}
