import { getDraft, listDrafts, type Me } from '../../../api/generated.ts'
import { queryClient } from '../../../app/query-client.ts'
import { ownPictures } from '../../mail/html/own-pictures.ts'
import { besideText } from '../../mail/html/pictures.ts'
import type { Place } from '../../mail/place.ts'
import { messageQuery } from '../../mail/queries.ts'
import { carried } from '../attachments/carry.ts'
import { blank, sendersOf, type Writing } from '../writing.ts'
import { answerTo } from './answer.ts'
import type { Beginning } from './opening.ts'
import { quotationOf } from './quote.ts'
import { knownAsSigned, signed, signedFor } from './signed.ts'
import { writingOf } from './written-draft.ts'

/** Makes a new message. @throws ApiError if the message that it answers cannot be read. */
export async function begin(me: Me, beginning: Beginning, at: string | undefined): Promise<Writing> {
  const senders = sendersOf(me)
  const here = beginning.what === 'new' || beginning.what === 'kept' ? at : beginning.place.mailbox
  const from = (senders.find(({ address }) => address === here) ?? senders[0])?.address ?? ''
  if (beginning.what === 'kept') return beginning.writing
  if (beginning.what === 'new') return signedBlank(from)
  const { what: mode, place, id } = beginning
  if (mode === 'draft') {
    const addresses = senders.map(({ address }) => address)
    const draft = await writingOf(await getDraft(await draftOf(place, id)), addresses)
    return knownAsSigned(draft, await signedFor(draft.from))
  }
  const message = await queryClient.fetchQuery(messageQuery(id))
  const writing = { ...(await signedBlank(from)), ...answerTo(message, mode, [place.mailbox, from, me.email]) }
  const pictures = message.html === null ? new Map<string, string>() : await ownPictures(message)
  const { shown, ...quoted } = quotationOf(message, mode, pictures)
  const beside = besideText(message.attachments, shown)
  const files = message.attachments.flatMap((one) => {
    const isShown = !beside.includes(one)
    if (mode !== 'forward' && !isShown) return []
    return carried(writing.key, id, isShown ? one : { ...one, content_id: null })
  })
  const { to, cc, bcc, subject } = writing
  const began = { to, cc, bcc, subject }
  const { thread_id } = message
  const answers = mode !== 'forward' && thread_id !== null && { mailbox: place.mailbox, conversation: thread_id }
  return { ...writing, began, quoted, files: await Promise.all(files), ...(answers && { answers }) }
}

async function signedBlank(from: string): Promise<Writing> {
  const [nothing, signature] = [blank(from), await signedFor(from)]
  return signature ? { ...nothing, ...signed(nothing, signature) } : nothing
}

/** The id of the draft that is this message. */
async function draftOf({ mailbox }: Place, message: string): Promise<string> {
  let cursor: string | null = null
  do {
    const page = await listDrafts({ mailbox, limit: 100, ...(cursor !== null && { cursor }) })
    const found = page.data.find((draft) => draft.message === message)
    if (found) return found.id
    cursor = page.next_cursor
  } while (cursor !== null)
  throw new Error('The draft is gone')
}
