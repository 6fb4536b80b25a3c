const own: Readonly<Record<string, string>> = {
  inbox: 'Inbox',
  sent: 'Sent',
  drafts: 'Drafts',
  archive: 'Archive',
  junk: 'Junk',
  trash: 'Trash',
}

/** The six standard folders have names; others are shown by their path. */
export function folderName(folder: string): string {
  return own[folder] ?? folder
}
