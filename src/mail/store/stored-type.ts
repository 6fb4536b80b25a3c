/** Folders in which nobody receives what a mail program stores or copies: a draft, or what is sent. */
export const unreceived = ['drafts', 'sent']

/** The type of the event for what a mail program stores or copies. */
export function storedType(folder: string): 'message.received' | 'message.changed' {
  return unreceived.includes(folder) ? 'message.changed' : 'message.received'
}
