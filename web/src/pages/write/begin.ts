import type { Me, Message } from '../../api/generated.ts'
import { getDownloadAttachmentUrl } from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'
import { ownPictures } from '../mail/own-pictures.ts'
import { isShownInText } from '../mail/pictures.ts'
import type { Place } from '../mail/place.ts'
import { messageQuery } from '../mail/queries.ts'
import { answerTo } from './answer.ts'
import { keepFile } from './device.ts'
import type { Beginning } from './opening.ts'
import { quotationOf } from './quote.ts'
import { blank, type File, sendersOf, type Writing } from './writing.ts'

/** Makes the message that is to be written. @throws ApiError where the one that it answers cannot be read. */
export async function begin(me: Me, beginning: Beginning, at: string | undefined): Promise<Writing> {
  const senders = sendersOf(me)
  const here = beginning.what === 'new' || beginning.what === 'kept' ? at : beginning.place.mailbox
  const from = (senders.find(({ address }) => address === here) ?? senders[0])?.address ?? ''
  if (beginning.what === 'new') return blank(from)
  if (beginning.what === 'kept') return beginning.writing
  const { what: mode, place, uid } = beginning
  const message = await queryClient.fetchQuery(messageQuery(place, uid))
  const own = new Set([place.mailbox, from, me.email].map((address) => address.toLowerCase()))
  const writing = { ...blank(from), ...answerTo(message, mode, own) }
  const pictures = message.html === null ? new Map<string, string>() : await ownPictures(place, message)
  const quoted = quotationOf(message, mode, pictures)
  const carried = message.attachments.filter((one) => mode === 'forward' || isShownInText(one, quoted.html))
  const files = await Promise.all(
    carried.map((one) => carry(writing.key, place, message, { ...one, isShown: isShownInText(one, quoted.html) })),
  )
  return { ...writing, quoted, files }
}

type Carried = Message['attachments'][number] & { readonly isShown: boolean }

async function carry(key: string, place: Place, { uid }: Message, one: Carried): Promise<File> {
  const answer = await fetch(getDownloadAttachmentUrl(uid, one.id, { ...place }))
  if (!answer.ok) throw new Error('An attachment could not be loaded')
  const content = await answer.blob()
  const id = crypto.randomUUID()
  await keepFile({ id, key, content })
  const { filename, content_type, content_id, isShown } = one
  return {
    ...{ id, name: filename ?? 'attachment', type: content_type, size: content.size },
    ...(isShown && content_id !== null && { cid: content_id }),
  }
}
