import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImapClient } from '#test/world/imap/client.ts'
import { readingMailbox, Serving } from '#test/world/imap/serving.ts'

const serving = await Serving.ofFile()

const [connections, size] = [50, 6 << 20]
/** What a connection may take while its client does not read, and the process beside; what is asked for is 24 MiB for each. */
const [ofConnection, beside] = [2 << 20, 128 << 20]

test('fifty programs that ask for everything and do not read take little memory, and keep no other organization waiting', async () => {
  await using programs = new AsyncDisposableStack()
  const letter = `Subject: long\r\n\r\n${'A long line of text.\r\n'.repeat(size / 22)}`
  const hoarder = await serving.newMailbox()
  const clients: ImapClient[] = []
  for (let n = 0; n < connections; n++) clients.push(programs.use(await serving.signedIn(hoarder)))
  const [first] = clients
  assert.equal((await first?.run('APPEND INBOX ', { literal: letter }))?.status, 'OK')
  const other = await readingMailbox(await serving.world.organization({ plan: 'self_hosted' }), 'bob')
  const client = programs.use(await serving.signedIn(other))
  await Promise.all(clients.map((one) => one.run('SELECT INBOX')))

  const before = memory()
  for (const one of clients) {
    one.pause()
    one.write(`f FETCH 1:* (${'BODY.PEEK[] '.repeat(4).trim()})\r\n`)
  }
  let most = 0
  for (let n = 0; n < 10; n++) {
    for (const command of ['SELECT INBOX', 'UID SEARCH TEXT words', 'FETCH 1:* (FLAGS ENVELOPE BODY.PEEK[])', 'NOOP']) {
      assert.equal((await client.run(command)).status, 'OK')
      most = Math.max(most, memory())
    }
    assert.equal((await client.run('APPEND INBOX ', { literal: 'Subject: x\r\n\r\nwords\r\n' })).status, 'OK')
  }
  const taken = most - before
  assert.ok(taken < connections * ofConnection + beside, `${taken >> 20} MiB`)

  first?.resume()
  const { status, untagged } = (await first?.answer('f')) ?? {}
  assert.equal(status, 'OK')
  assert.ok((untagged?.[0]?.length ?? 0) > 4 * (letter.length - 1), 'who reads on has all of it')
})

function memory(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
