import assert from 'node:assert/strict'
import { existsSync, globSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { hand, letter } from '#test/mail/letter.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { tap } from '#test/peers/dovecot/tap.ts'
import { searchOracle } from '#test/search/oracle.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { until } from '#test/world/until.ts'
import { World } from '#test/world/world.ts'

const plugIn = '/usr/lib/dovecot/modules/lib21_fts_xapian_plugin.so'
if (!existsSync(plugIn)) throw new Error(`There is no ${plugIn}: apt-get install dovecot-fts-xapian`)

/** As docs/dovecot.md has it. */
const fullText = `
  mail_plugins = $mail_plugins fts fts_xapian
  imap_capability = +SEARCH=FUZZY
  plugin {
    fts = xapian
    fts_xapian = partial=3 full=20
    fts_autoindex = yes
  }
`

interface Bench extends AsyncDisposable {
  readonly dovecot: DovecotServer
  readonly world: World
  /** What was said to the server. */
  readonly said: readonly string[]
}

async function startOn(settings = ''): Promise<Bench> {
  await using starting = new AsyncDisposableStack()
  const dovecot = starting.use(await DovecotServer.start(settings))
  const way = starting.use(await tap(dovecot.server))
  const url = new URL(dovecot.url)
  url.port = String(way.port)
  const world = starting.use(await World.start({ env: { MAILROOM_IMAP_URL: url.href } }))
  const started = starting.move()
  return { dovecot, world, said: way.said, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

const few = { messages: 60, queries: 40 }
/** Without its accents the server does not know a word, unless its plug-in takes them off. */
const mayMiss = (made: object) => /[^\x20-\x7e]/.test(JSON.stringify(made))

describe('without a plug-in', () => searchOracle('on a Dovecot', () => startOn(), few))
describe('with a plug-in', () => {
  searchOracle('on a Dovecot with a full-text index', () => startOn(fullText), { ...few, mayMiss })
})

describe('a full-text plug-in', () => {
  let bench: Bench
  let organization: TestOrganization
  let mailbox: { id: string; address: string }
  before(async () => {
    bench = await startOn(fullText)
    organization = await bench.world.organization()
    mailbox = await organization.mailbox('ada')
    for (const [Subject, body] of [
      ['Plans', 'The zeppelin is oiled.'],
      ['Re: Plans', 'Well done.\r\n\r\nOn Monday, Ann wrote:\r\n> The zeppelin is oiled.'],
      ['Lunch', 'At noon.'],
      ['Gruß', 'Schöne Grüße aus Köln'],
    ] as const) {
      const encoded = (text: string) => Buffer.from(text).toString('base64')
      const fields = {
        Subject: `=?utf-8?B?${encoded(Subject)}?=`,
        'Content-Type': 'text/plain; charset=utf-8',
        'Content-Transfer-Encoding': 'base64',
      }
      // A last word without the end of its line is not in this index.
      const message = letter(fields, encoded(`${body}\r\n`))
      assert.equal(await hand(bench.world, 'ann@peer.example', mailbox.address, message), '250 2.6.0')
    }
  })
  after(() => bench[Symbol.asyncDispose]())

  const search = async (q: string) => {
    const given = new URLSearchParams({ q, mailbox: mailbox.address })
    const { status, body } = await organization.request('GET', `/v1/search?${given}`)
    assert.equal(status, 200)
    return body
  }

  test('words are looked for in the index of the server, and what it finds is read', async () => {
    const before = bench.said.length
    const { data, partial } = await search('zeppelin')
    assert.deepEqual([data.map(({ subject }: { subject: string }) => subject), partial], [['Plans'], false])
    const asked = bench.said.slice(before).join('')
    assert.match(asked, /UID SORT \(ARRIVAL\) US-ASCII TEXT "zeppelin"/)
    // Of what is there, it has read what the server has found: the new text of the other is not about it.
    const read = [...asked.matchAll(/UID FETCH (\S+) \(\S+ FLAGS/g)].map(([, uids]) => uids)
    assert.ok(read.length > 0 && read.every((uids) => uids !== '1:4'), `${read}`)
    const found = () => globSync(`mail/${mailbox.id}/xapian-indexes/*`, { cwd: bench.dovecot.directory })
    await until(async () => found().length > 0)
    assert.doesNotMatch(await bench.dovecot.log(), /(?:Error|Panic|Fatal):/)
  })

  test('words with accents are asked for as they are written, and without', async () => {
    const before = bench.said.length
    const subjects = async (q: string) => (await search(q)).data.map(({ subject }: { subject: string }) => subject)
    assert.deepEqual(await subjects('grüße köln'), ['Gruß'])
    assert.match(bench.said.slice(before).join(''), /UTF-8 OR \(TEXT "grusse"\) \(TEXT \{\d+\+?\}/)
    assert.deepEqual(await subjects('subject:plans -zeppelin'), ['Re: Plans'])
  })
})

test('a server that looks for words for long is not waited for, and asked no second time meanwhile', async () => {
  await using dovecot = await DovecotServer.start(fullText)
  const held = Promise.withResolvers<void>()
  await using way = await tap(
    dovecot.server,
    (answer) => answer,
    (said) => (said.includes('TEXT "zeppelin"') ? held.promise : undefined),
  )
  const url = new URL(dovecot.url)
  url.port = String(way.port)
  await using world = await World.start({ env: { MAILROOM_IMAP_URL: url.href } })
  const organization = await world.organization()
  const { address } = await organization.mailbox('ada')
  await hand(world, 'ann@peer.example', address, letter({}, 'The zeppelin is oiled.'))
  await until(async () => (await organization.request('GET', `/v1/messages?mailbox=${address}`)).body.total === 1)
  for (let turn = 0; turn < 3; turn++) {
    const { body } = await organization.request('GET', `/v1/search?q=zeppelin&mailbox=${address}`)
    assert.equal(body.data.length, 1)
  }
  const asked = () => way.said.filter((one) => one.includes('TEXT "zeppelin"')).length
  // Each of the six folders has been asked for once, if it has mail.
  assert.equal(asked(), 1)
  held.resolve()
})
