/** A folder's MAILBOXID (RFC 8474, section 4), which it keeps when it is renamed. */
export function mailboxId(folderId: number): string {
  return `f${folderId.toString(36)}`
}
