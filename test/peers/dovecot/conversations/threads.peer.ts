import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { threadHeaders } from '#test/threads/folders.ts'
import { World } from '#test/world/world.ts'
import { type Comparison, compare } from './comparison.ts'
import { DovecotProcess } from './dovecot-process.ts'
import { indexReader, serviceReader } from './our-readers.ts'

let dovecot: DovecotProcess
before(async () => {
  dovecot = await DovecotProcess.start()
})
after(() => dovecot[Symbol.asyncDispose]())

/** Ids written in other ways than most are. */
const header = fc
  .tuple(threadHeaders, fc.constantFrom(['<b@x>', '<b@x>'], ['<b@x>', '<"b"@x>'], ['<c@x>', '<c@[x]>']))
  .map(([text, [usual = '', other = '']]) => `${text.replaceAll(usual, other)}\r\n`)
const folder = fc.array(header, { maxLength: 16 })

test('what REFS joins we join, but for what it takes for an id; and every difference has its cause', async () => {
  const property = fc.asyncProperty(folder, async (messages) =>
    assertExplained(
      await compare(
        dovecot,
        indexReader(),
        messages.map((text) => Buffer.from(text)),
      ),
    ),
  )
  await fc.assert(property, { numRuns: 1_000 })
})

test('so it is through the mail host and over HTTP', async () => {
  await using world = await World.start()
  await assertAllExplained(world)
})

test('so it is where the folder is on an IMAP server', async () => {
  await using server = await DovecotServer.start()
  await using world = await World.start({ env: { MAILROOM_IMAP_URL: server.url } })
  await assertAllExplained(world)
})

/** Of folders side by side in one, each under a domain of its own. */
async function assertAllExplained(world: World): Promise<void> {
  const folders = fc
    .sample(folder, 40)
    .map((messages, place) => messages.map((text) => text.replaceAll('@x', `@x${place}`)))
  assertExplained(
    await compare(
      dovecot,
      await serviceReader(world),
      folders.flat().map((text) => Buffer.from(text)),
    ),
  )
}

function assertExplained({ joinedByUs, joinedByRefs }: Comparison): void {
  assert.equal(joinedByUs.unexplained, 0, 'joined by us alone')
  assert.equal(joinedByRefs.unexplained, 0, 'joined by REFS alone')
}
