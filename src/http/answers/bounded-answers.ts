import type { FastifyReply, FastifyRequest } from 'fastify'

/** Octets of an answer that is kept whole for its repetition, if its fields can be read again. */
const mostKept = 64 * 1024

/** A serialized object, as it is kept for repetitions of its request. */
export interface Bounded {
  readonly body: string
  /** Fields that are not kept, but read again: those that make an answer too large. */
  readonly omitted?: readonly string[]
}

/** What is kept of an answer to the request. Kept whole, drafts would fill the disk. */
export function bounded(body: string, request: FastifyRequest): Bounded {
  if (Buffer.byteLength(body) <= mostKept || !request.routeOptions.config.readAgain) return { body }
  const fields = Object.entries(JSON.parse(body)).map(([name, value]) => ({ name, value, size: sizeOf(value) }))
  const omitted = new Set<string>()
  let left = fields.reduce((sum, { name, size }) => sum + name.length + size, 0)
  for (const { name, size } of fields.toSorted((one, other) => other.size - one.size)) {
    if (left <= mostKept / 2) break
    omitted.add(name)
    left -= size
  }
  const kept = fields.filter(({ name }) => !omitted.has(name)).map(({ name, value }) => [name, value])
  return { body: JSON.stringify(Object.fromEntries(kept)), omitted: [...omitted] }
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}

/** The whole body again. Omitted fields are as they are now. @throws Refusal if the item is no longer there, or the caller may not
 *  read it */
export async function whole(reply: FastifyReply, { body, omitted }: Bounded): Promise<string> {
  const { readAgain } = reply.request.routeOptions.config
  if (omitted === undefined || !readAgain) return body
  const kept: { id: string } = JSON.parse(body)
  const now = Object.entries(await readAgain(reply, kept.id))
  return JSON.stringify({ ...kept, ...Object.fromEntries(now.filter(([name]) => omitted.includes(name))) })
}
