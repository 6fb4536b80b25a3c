import { getMessageHeaders, listMessages, testOwnFilters } from '../../api/generated.ts'

/** What filters look at. */
const looked = ['from', 'sender', 'to', 'cc', 'subject']

/** What the filters, as they are now, would do with a message that is there, by its id. Nothing is stored. */
export async function tryMessage(id: string) {
  const { data } = await getMessageHeaders(id)
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
