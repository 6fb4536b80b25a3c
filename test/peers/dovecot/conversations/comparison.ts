import assert from 'node:assert/strict'
import { type Headers, readHeaders } from '#/mime/header/headers.ts'
import { type ThreadIds, threadIds } from '#/mime/header/references.ts'
import { type Compared, differences, type JoinedByRefs, type JoinedByUs } from './differences.ts'
import type { DovecotProcess } from './dovecot-process.ts'
import { readAsRefs } from './refs-reading.ts'

/** Our side: gets a folder's messages one after another, with uids from 1, and answers their conversations. */
export interface OurReader {
  file(message: Compared, header: Buffer): Promise<void> | void
  conversations(): Promise<number[][]> | number[][]
}

export interface Comparison {
  readonly messages: number
  readonly ours: number
  readonly refs: number
  readonly joinedByUs: JoinedByUs
  readonly joinedByRefs: JoinedByRefs
}

/** Reads a folder as conversations on both sides, and explains join by join how they differ. */
export async function compare(
  dovecot: DovecotProcess,
  us: OurReader,
  headers: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<Comparison> {
  const messages: Compared[] = []
  const addresses = new Set<string>()
  const read = async function* () {
    for await (const header of headers) {
      const { headers: fields } = readHeaders(header)
      const message = { uid: messages.length + 1, ids: ourIds(fields), refs: readAsRefs(fields) }
      messages.push(message)
      for (const address of addressesIn(fields.all('from'))) addresses.add(address)
      for (const address of addressesIn([...fields.all('to'), ...fields.all('cc')])) addresses.add(address)
      await us.file(message, header)
      yield header
    }
  }
  const refs = await dovecot.conversations('compared', read())
  const ours = await us.conversations()
  const { ours: joinedByUs, refs: joinedByRefs } = differences(messages, ours, refs, addresses)
  const sum = (counts: object) => Object.values(counts).reduce((total, count) => total + count, 0)
  assert.equal(ours.length, refs.length - sum(joinedByUs) + sum(joinedByRefs), 'every difference is counted')
  return { messages: messages.length, ours: ours.length, refs: refs.length, joinedByUs, joinedByRefs }
}

/** With the quotes away that neither side goes by. */
function ourIds(headers: Headers): ThreadIds {
  const unquoted = (id: string) => id.replace(/^<"([^"\\]*)"@/, '<$1@')
  const { messageId, strong, weak, root } = threadIds(headers)
  return { messageId: messageId && unquoted(messageId), strong: strong.map(unquoted), weak: weak.map(unquoted), root }
}

/** Archives write `ann at example.com`. */
function addressesIn(values: readonly string[]): string[] {
  return values.flatMap((value) =>
    [...value.matchAll(/([^\s<>()",;:]+)(?:@| at )([^\s<>()",;:]+)/g)].map(([, local, domain]) =>
      `${local}@${domain}`.toLowerCase(),
    ),
  )
}
