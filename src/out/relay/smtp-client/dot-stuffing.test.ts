import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MessageBytes } from '#/smtp/connection/message-bytes.ts'
import { DeliveryFailure } from '../delivery-failure.ts'
import { stuffed } from './dot-stuffing.ts'

async function* pieces(octets: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  const places = cuts.map((cut) => cut % (octets.length + 1)).sort((one, other) => one - other)
  for (const [at, from] of [0, ...places].entries()) yield octets.subarray(from, places[at] ?? octets.length)
}

const cuts = fc.array(fc.nat())

test('a message is read by a server as it was given, whatever its dots and its pieces', async () => {
  const text = fc.array(fc.constantFrom('.', '..', '\r\n', 'a', 'Ä')).map((parts) => parts.join(''))
  await fc.assert(
    fc.asyncProperty(text, cuts, async (text, cuts) => {
      const octets = Buffer.from(text)
      const sent = Buffer.concat([...(await Array.fromAsync(stuffed(pieces(octets, cuts)))), Buffer.from('.\r\n')])
      const { content, rest } = new MessageBytes().feed(sent)
      assert.equal(content.toString(), text === '' || text.endsWith('\r\n') ? text : `${text}\r\n`)
      assert.equal(rest?.length, 0)
    }),
  )
})

test('a message with a lone CR or LF is never sent whole, whatever its pieces', async () => {
  const text = fc.array(fc.constantFrom('.', '\r', '\n', '\r\n', 'a')).map((parts) => parts.join(''))
  await fc.assert(
    fc.asyncProperty(text, cuts, async (text, cuts) => {
      const bare = /\r(?!\n)|(?<!\r)\n/.test(text)
      const sent = Array.fromAsync(stuffed(pieces(Buffer.from(text), cuts)))
      if (bare) await assert.rejects(sent, (error) => error instanceof DeliveryFailure && error.status === '5.6.0')
      else await sent
    }),
  )
})
