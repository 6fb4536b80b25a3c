import type { Address } from '#/formats/mime/address/address.ts'
import { type Headers, readHeaders } from '#/formats/mime/header/headers.ts'
import { addressesIn, sendersIn } from '#/formats/mime/read-message.ts'
import type { Heading } from '#/mail/store/headings.ts'
import { type FilterInput, lazyFilterInput } from '../filter-input.ts'

/** The input of filters for a stored message: the same as at its arrival. The address that it was delivered to is that of its
 *  topmost Received field, or the mailbox's own if that names none. */
export function headingInput({ subject, senders, header }: Heading, mailboxAddress: string): FilterInput {
  let read: Headers | undefined
  const headers = () => {
    read ??= readHeaders(header).headers
    return read
  }
  return lazyFilterInput({
    subject: () => subject,
    sender: () => senders ?? sendersIn(headers()),
    recipients: () => [
      deliveredTo(headers(), mailboxAddress),
      ...addressesIn(headers(), 'to'),
      ...addressesIn(headers(), 'cc'),
    ],
  })
}

function deliveredTo(headers: Headers, otherwise: string): Address {
  const [, address = otherwise] = /\sfor <([^<>\s]+@[^<>\s]+)>/.exec(headers.first('received') ?? '') ?? []
  return { name: '', address }
}
