import { getMessageHeaders, listMessages, testOwnFilters } from '../../api/generated.ts'

/** A message of a mailbox. */
export interface Tried {
  readonly mailbox: string
  readonly folder: string
  readonly uid: number
}

/** What filters look at. */
const looked = ['from', 'sender', 'to', 'cc', 'subject']

/** What the filters, as they are now, would do with a message that is there. Nothing is stored. */
export async function tryMessage({ mailbox, folder, uid }: Tried) {
  const { data } = await getMessageHeaders(uid, { mailbox, folder })
  const fields = data.filter(({ name }) => looked.includes(name.toLowerCase()))
  const message = `${fields.map(({ name, raw }) => `${name}: ${raw.trim()}\r\n`).join('')}\r\n`
  const subject = fields.find(({ name }) => name.toLowerCase() === 'subject')?.value ?? ''
  return { subject: subject || '(no subject)', trial: await testOwnFilters({ message }) }
}

/** How many messages are offered. */
const newest = 20

/** The newest messages of a mailbox's inbox. */
export const newestQuery = (mailbox: string) => ({
  queryKey: ['newest', mailbox],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    listMessages({ mailbox, folder: 'inbox', limit: newest }, { signal }),
})
