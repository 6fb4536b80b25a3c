import { isStandardFolder } from '#/mail/store/folder-name.ts'

/** Between the steps of a path. */
export const separator = '/'

/** Above the mailboxes that are shared with the user: `Shared/team@example.com/INBOX`. */
export const sharedRoot = 'Shared'

/** The name of one of the store's folders over IMAP: `Sent` for `sent`. Other names are the same, so that each reads as itself. The reverse is
 *  `folderName`, whatever the case of the standard folders. */
export function imapName(folder: string): string {
  if (folder === 'inbox') return 'INBOX'
  return isStandardFolder(folder) ? folder.charAt(0).toUpperCase() + folder.slice(1) : folder
}

/** An address and the path within that mailbox, which is empty for the root of it; undefined for names of the own mailbox. An own
 *  folder may be called `Shared`, or have others within it that are not called like an address. */
export function sharedPath(name: string): { readonly address: string; readonly path: string } | undefined {
  const [root, address = '', ...steps] = name.split(separator)
  return root === sharedRoot && address.includes('@') ? { address, path: steps.join(separator) } : undefined
}

/** The IMAP name of a folder of a shared mailbox. */
export function sharedName(address: string, folder: string): string {
  return [sharedRoot, address, imapName(folder)].join(separator)
}
