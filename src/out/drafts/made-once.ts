import type { FastifyReply } from 'fastify'
import { Refusal } from '#/base/errors.ts'
import type { DraftBox } from './find.ts'
import { draftId, keyFrom, newKey } from './identity.ts'
import { madeOf } from './made.ts'
import { shown } from './open.ts'
import { type DraftDependencies, oneAtATime } from './save.ts'
import type { DraftOut } from './schemas.ts'

/** As long as answers are kept. */
const repeatedForMs = 24 * 3_600_000

/** Makes a draft for a request. The draft is stored before the answer is kept: if the process dies between the two, the repetition
 *  under the same Idempotency-Key answers with that draft. A second one would stand when its owner has deleted the one that is known. */
export async function madeOnce(
  parts: DraftDependencies,
  reply: FastifyReply,
  box: DraftBox,
  make: (key: string) => Promise<DraftOut | undefined>,
): Promise<DraftOut | undefined> {
  const { actorId, fingerprint, headers } = reply.request
  const given = headers['idempotency-key']
  if (given === undefined || !fingerprint) return await make(newKey())
  const key = keyFrom([box.organizationId, actorId, given, fingerprint.toString('hex')])
  const id = draftId({ mailboxId: box.mailboxId, key })
  return await oneAtATime(id, async () => {
    if ((await madeOf(parts.db, box, key)).length === 0) return await make(key)
    return (await madeLately(parts, reply, id)) ?? (await make(newKey()))
  })
}

/** The draft with this id, if it still stands and a repetition can be meant. */
async function madeLately(parts: DraftDependencies, reply: FastifyReply, id: string): Promise<DraftOut | undefined> {
  try {
    const draft = await shown(parts, reply, 'send', id)
    const age = (await parts.time(parts.db)).getTime() - Date.parse(draft.updated_at)
    return age < repeatedForMs ? draft : undefined
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found') return undefined
    throw error
  }
}
