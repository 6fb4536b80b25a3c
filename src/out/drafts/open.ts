import type { FastifyReply } from 'fastify'
import { unlessDeleted } from '#/base/errors.ts'
import { type Found, findDraft, mostTries } from './find.ts'
import { presentDraft } from './present.ts'
import type { DraftDependencies } from './save.ts'
import type { DraftOut } from './schemas.ts'

/** A draft, as `findDraft` finds it, with its octets, for an answer. @throws Refusal */
export async function openDraft(
  parts: Pick<DraftDependencies, 'db' | 'large'>,
  reply: FastifyReply,
  level: 'read' | 'send',
  named: { readonly id: string; readonly version?: number | undefined },
): Promise<Found & { readonly raw: Buffer }> {
  for (let tries = 1; ; tries++) {
    const found = await findDraft(parts, reply.request, level, named)
    const reading = parts.large.fetch(found.stored, reply)
    const raw = await (tries < mostTries ? reading.catch(unlessDeleted) : reading)
    if (raw) return { ...found, raw }
  }
}

/** A draft as an answer. @throws Refusal */
export async function shown(
  parts: Pick<DraftDependencies, 'db' | 'large' | 'reader'>,
  reply: FastifyReply,
  level: 'read' | 'send',
  named: string,
): Promise<DraftOut> {
  const { box, key, uid, isOurs, stored, raw } = await openDraft(parts, reply, level, { id: named })
  const [message, content] = [await parts.reader.message(raw), await parts.reader.content(raw)]
  const { id, receivedAt: savedAt } = stored.summary
  return presentDraft({ box, key, uid, id, isOurs, savedAt, message, content })
}

/** Reads a draft again for a repeated request, whose answer shows it. */
export function againBy(parts: Parameters<typeof shown>[0]) {
  return (reply: FastifyReply, id: string) => shown(parts, reply, 'read', id)
}
