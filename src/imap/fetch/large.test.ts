// On both databases: octets of a message are read in many statements, between which it may be deleted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { type Entity, readEntity } from '#/formats/mime/entity/entity.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import { HeardSession } from '#test/world/imap/heard-session.ts'
import { type Scene, Stage } from '#test/world/imap/stage.ts'
import { Bye } from '../answers.ts'
import type { Output } from '../wire/output.ts'
import { Parser } from '../wire/parser.ts'
import { fetchCommands } from './commands.ts'

const stage = await Stage.ofFile(fetchCommands)

/** A session that keeps the octets of responses. */
class OctetSession extends HeardSession {
  #pieces: Buffer[] = []
  /** The most octets that were written at once. */
  most = 0
  /** Is called before each write. */
  onWrite: (written: number) => Promise<void> | undefined = () => undefined

  override readonly output: Output = {
    write: (piece) => {
      const bytes = Buffer.from(piece)
      this.#pieces.push(bytes)
      this.most = Math.max(this.most, bytes.length)
      return this.onWrite(this.#pieces.length)
    },
  }

  async fetch(asked: string): Promise<Buffer> {
    this.#pieces = []
    await fetchCommands.FETCH?.(this, {
      tag: 'a',
      name: 'FETCH',
      args: new Parser({ text: ` ${asked}`, literals: [] }, true),
    })
    return Buffer.concat(this.#pieces)
  }
}

async function withMessage(...raws: Buffer[]): Promise<{ scene: Scene; session: OctetSession }> {
  const scene = await stage.scene()
  for (const raw of raws) await scene.add(1, { message: readMessage(raw) })
  const session = new OctetSession(stage.parts, scene.mailbox, stage.commands)
  await session.run('SELECT INBOX')
  return { scene, session }
}

/** The only literal of a response, or the empty one. */
async function literal(session: OctetSession, item: string): Promise<Buffer> {
  const response = await session.fetch(`1 ${item}`)
  const start = response.indexOf('{')
  const size = Number.parseInt(response.toString('latin1', start + 1, start + 12), 10)
  const from = response.indexOf('\n', start) + 1
  assert.equal(response.toString('latin1', from + size), ')\r\n')
  return response.subarray(from, from + size)
}

function lines(octets: number, mark: string): string {
  const line = `${mark.repeat(70)}\r\n`
  return line.repeat(Math.ceil(octets / line.length))
}

const attached = Buffer.from(lines(1_300_000, 'z'))
const base64 = attached.toString('base64').replace(/.{76}/g, '$&\r\n')
const large = Buffer.from(
  `Subject: large\r\n${lines(20_000, 'x')
    .replace(/^/gm, 'X-Long: ')
    .replace(/X-Long: $/, '')}Content-Type: multipart/mixed; boundary=b\r\n\r\n` +
    `--b\r\n\r\n${lines(100_000, 'a')}\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: inner\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n` +
    `--c\r\n\r\n${lines(400_000, 'c')}\r\n--c\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64}\r\n--c--\r\n\r\n--b--\r\n`,
)
for (const [what, raw] of [
  ['a large message', large],
  ['one that is stored in one piece', large.subarray(0, 700_000)],
  ['a small one', large.subarray(0, 60_000)],
] as const) {
  test(`partials of ${what} join to it, and sections are slices of it`, async () => {
    const { session } = await withMessage(raw)
    assert.deepEqual(await literal(session, 'BODY.PEEK[]'), raw)
    const place = fc.integer({ min: 0, max: raw.length })
    await fc.assert(
      fc.asyncProperty(fc.array(place, { maxLength: 4 }), async (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), raw.length]
        const parts: Buffer[] = []
        for (const [at, end] of places.slice(1).entries()) {
          const from = places[at] ?? 0
          parts.push(await literal(session, `BODY.PEEK[]<${from}.${end - from}>`))
        }
        assert.ok(Buffer.concat(parts).equals(raw))
      }),
      { numRuns: 10 },
    )
    const sections = async (entity: Entity, path: string) => {
      const is = async (section: string, start: number, end: number) =>
        assert.ok((await literal(session, `BODY.PEEK[${section}]`)).equals(raw.subarray(start, end)), section)
      if (path !== '') {
        await is(`${path}.MIME`, entity.header, entity.start)
        await is(path, entity.start, entity.end)
      }
      for (const [at, part] of entity.parts.entries()) await sections(part, `${path}${path && '.'}${at + 1}`)
      if (!entity.message) return
      const { root } = entity.message
      await is(`${path}.HEADER`, root.header, root.start)
      await is(`${path}.TEXT`, root.start, root.end)
      for (const [at, part] of root.parts.entries()) await sections(part, `${path}.${at + 1}`)
    }
    await sections(readEntity(raw), '')
    assert.ok(session.most <= 512 << 10, `${session.most} octets were written at once`)
  })
}

test('a header that is longer than the beginning of a message is told whole', async () => {
  const { session } = await withMessage(large)
  const end = large.indexOf('\r\n\r\n') + 4
  assert.ok((await literal(session, 'BODY.PEEK[HEADER]')).equals(large.subarray(0, end)))
  assert.ok((await literal(session, 'BODY.PEEK[TEXT]')).equals(large.subarray(end)))
  assert.equal(
    (await literal(session, 'BODY.PEEK[HEADER.FIELDS (CONTENT-TYPE)]')).toString(),
    'Content-Type: multipart/mixed; boundary=b\r\n\r\n',
  )
  assert.match((await session.fetch('1 ENVELOPE')).toString(), /ENVELOPE \(NIL "large" /)
})

test('a large part is decoded piece by piece', async () => {
  const { session } = await withMessage(large)
  const response = (await session.fetch('1 BINARY.SIZE[2.2]')).toString()
  assert.equal(response, `* 1 FETCH (BINARY.SIZE[2.2] ${attached.length})\r\n`)
  assert.ok((await literal(session, 'BINARY.PEEK[2.2]')).equals(attached))
  assert.ok((await literal(session, 'BINARY.PEEK[2.2]<1000000.77>')).equals(attached.subarray(1_000_000, 1_000_077)))
  assert.ok(session.most <= 512 << 10)
})

test('the structure of a large message is found once for all who ask, and goes with the message', async () => {
  const { session, scene } = await withMessage(large)
  const others = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const other = new OctetSession(stage.parts, scene.mailbox, stage.commands)
      await other.run('SELECT INBOX')
      return other
    }),
  )
  const told = await Promise.all([session, ...others].map((one) => one.fetch('1 BODYSTRUCTURE')))
  assert.equal(new Set(told.map(String)).size, 1)
  const structures = async () => {
    const { rows } = await sql<{ structure: string }>`
      select structure from mail_structures where organization_id = ${scene.mailbox.organizationId}`.execute(
      stage.database.db,
    )
    return rows
  }
  const [structure, ...more] = await structures()
  assert.deepEqual([structure?.structure, more], [JSON.stringify(readEntity(large, true)), []])
  await scene.expunge(1)
  assert.deepEqual(await structures(), [])
})

test('the connection ends if a message goes while its octets are sent', async () => {
  const { session, scene } = await withMessage(large)
  session.onWrite = (written) => (written === 2 ? scene.expunge(1) : undefined)
  await assert.rejects(session.fetch('1 BODY.PEEK[]'), Bye)
})

test('a message that goes before anything of it was sent is left out', async () => {
  const small = Buffer.from('Subject: x\r\n\r\nbody\r\n')
  const { session, scene } = await withMessage(small, large, small)
  await sql`
    delete from mail_pieces piece using mail_messages message, mail_folders folder
    where piece.content_id = message.content_id and message.uid = 2 and folder.id = message.folder_id
      and folder.mailbox_id = ${scene.mailbox.mailboxId}`.execute(stage.database.db)
  await assert.rejects(session.fetch('1:3 (UID BODY.PEEK[2.1])'), { code: 'EXPUNGEISSUED' })
})

test('nothing that is asked for is held whole', async () => {
  const { session } = await withMessage(large)
  let written = 0
  session.onWrite = () => {
    written += 1
    return undefined
  }
  const items = Array(200).fill('BODY.PEEK[2.1]').join(' ')
  const response = await session.fetch(`1 (${items})`)
  assert.ok(response.length > 200 * 400_000)
  assert.ok(written > 300)
  assert.ok(session.most <= 512 << 10)
})
