import { getSendDraftUrl, sendDraft } from '../../../api/generated.ts'
import { queryClient } from '../../../app/query-client.ts'
import { toasts } from '../../../parts/state/toasts.ts'
import { Uploading } from '../attachments/uploading.tsx'
import { write } from '../beginning/opening.ts'
import { forget, keep } from '../saving/device.ts'
import { hold, release } from '../saving/hold.ts'
import { draftOf, noLongerSaved, save } from '../saving/save.ts'
import { untilAnswered } from '../saving/until-answered.ts'
import type { Writing } from '../writing.ts'

/** Messages that wait to be sent, with the requests that send them once their drafts are saved. */
const leaving = new Map<string, { readonly key: string; readonly send?: () => void }>()

/** Sends a message at `at`, unless that is undone before. Its draft is saved meanwhile. A page that is closed sends it at
 *  once, with the same key as later attempts, so that it is sent once. This device stores it until the service has it. */
export async function leave(
  member: string,
  writing: Writing,
  { at, key }: NonNullable<Writing['leaving']>,
): Promise<void> {
  if (leaving.has(writing.key)) return
  leaving.set(writing.key, { key })
  await hold(writing.key)
  await keep(member, { ...writing, leaving: { at, key } })
  const undone = Promise.withResolvers<true>()
  const sending = { text: 'Sending…', detail: writing.files.map((file) => <Uploading key={file.id} file={file} />) }
  const said = toasts.add({ ...sending, action: { name: 'Undo', run: () => undone.resolve(true) } })
  const saving = saveUntil(member, { ...writing, leaving: { at, key } }).catch(asError)
  const wait = Math.max(0, at - Date.now())
  const isUndone = await Promise.race([undone.promise, new Promise<false>((go) => setTimeout(go, wait, false))])
  toasts.close(said)
  const isSaved = leaving.get(writing.key)?.send !== undefined
  const stillSaid = isUndone || isSaved ? undefined : toasts.add(sending)
  const fault = isUndone ? undefined : ((await saving) ?? (await deliver(writing, key).catch(asError)))
  if (stillSaid !== undefined) toasts.close(stillSaid)
  leaving.delete(writing.key)
  const { leaving: _, ...back } = writing
  if (isUndone || fault) {
    const writable = { ...back, isSaved: false }
    await keep(member, writable)
    write({ what: 'kept', writing: writable, ...(fault && { fault }) })
    return
  }
  noLongerSaved(writing.key)
  await forget(writing.key)
  release(writing.key)
  toasts.add({ text: 'Message sent' }, { timeout: 5_000 })
  void queryClient.invalidateQueries()
}

/** Saves the draft, and lets a page that is closed send it. */
async function saveUntil(member: string, writing: Writing): Promise<undefined> {
  const before = writing.isSaved && !writing.hasUnseen ? draftOf(writing) : undefined
  const draft = before ?? (await untilAnswered('Not sent yet', () => save(writing)))
  const key = writing.leaving?.key ?? ''
  // It may have been undone meanwhile.
  if (leaving.get(writing.key)?.key !== key) return
  await keep(member, { ...writing, draft, isSaved: true })
  const send = () => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key }
    const body = JSON.stringify({ version: draft.version })
    void fetch(getSendDraftUrl(draft.id), { method: 'POST', keepalive: true, headers, body })
  }
  leaving.set(writing.key, { key, send })
}

async function deliver(writing: Writing, key: string): Promise<undefined> {
  const draft = draftOf(writing)
  if (!draft) throw new Error('Its draft is gone')
  const { id, version } = draft
  await untilAnswered('Not sent yet', () => sendDraft(id, { version }, { headers: { 'Idempotency-Key': key } }))
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

window.addEventListener('pagehide', () => {
  for (const { send } of leaving.values()) send?.()
})
window.addEventListener('beforeunload', (event) => {
  if ([...leaving.values()].some(({ send }) => send === undefined)) event.preventDefault()
})
