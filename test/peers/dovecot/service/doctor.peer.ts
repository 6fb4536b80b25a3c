import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { diagnose } from '#/cli/doctor/doctor.ts'
import type { Finding } from '#/cli/doctor/finding.ts'
import { readConfig } from '#/config/config.ts'
import type { Database } from '#/db/open.ts'
import { tryMailServer, tryRelay } from '#/server/adapters.ts'
import { newDomain, newMailbox } from '#test/conformance/mail-host/mailboxes.ts'
import { FaultProxy } from '#test/faults/network/proxy.ts'
import { imapMailHost } from '#test/peers/dovecot/imap-mail-host.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { tap } from '#test/peers/dovecot/tap.ts'
import { testDatabase } from '#test/world/database/database.ts'
import { limitFor } from '#test/world/limit-for.ts'

let resources: AsyncDisposableStack
let database: Database
let dovecot: DovecotServer
before(async () => {
  resources = new AsyncDisposableStack()
  database = resources.use(await testDatabase())
  dovecot = resources.use(await DovecotServer.start())
  const { db } = database
  const host = resources.use(imapMailHost(db, dovecot.server))
  await newMailbox(db, host, await newDomain(db), 'ada')
})
after(() => resources.disposeAsync())

/** What the doctor finds of the mail host by that URL. */
async function found(url: string, on = database): Promise<Finding> {
  const config = readConfig({ MAILROOM_IMAP_URL: url, PORT: '0', MAILROOM_SMTP_PORT: '0', MAILROOM_IMAP_PORT: '0' })
  const { value } = await diagnose(config, { database: on }, { tryMailServer, tryRelay, serverControl: undefined })
  const { findings } = value as { findings: Finding[] }
  const finding = findings.find(({ check }) => check === 'mail host')
  assert.ok(finding)
  return finding
}

function byWayOf({ port }: { readonly port: number }): string {
  const url = new URL(dovecot.url)
  url.port = String(port)
  return url.href
}

test('the doctor logs in as mail does, and finds all that is needed', async () => {
  const { state, found: words } = await found(dovecot.url)
  assert.equal(state, 'ok')
  assert.match(words, /^127\.0\.0\.1:\d+ accepts the login and has all capabilities$/)
})

test('a password that the server refuses is a problem, which says so without it', async () => {
  const url = new URL(dovecot.url)
  url.password = 'hunter2'
  const finding = await found(url.href)
  assert.equal(finding.state, 'problem')
  assert.match(finding.found, /refuses the login: AUTHENTICATE was answered with NO/)
  assert.match(finding.fix ?? '', /name and the password of its master user/)
  assert.ok(!JSON.stringify(finding).includes('hunter2'))
})

test('before there is a mailbox nobody can log in, which is worth a warning', async () => {
  await using empty = await testDatabase()
  const { state, found: words } = await found(dovecot.url, empty)
  assert.equal(state, 'warning')
  assert.match(words, /answers; .* there is none yet$/)
})

for (const [what, rewrite, state, words] of [
  ['UIDPLUS', (said: string) => said.replaceAll(' UIDPLUS', ''), 'problem', /it has no UIDPLUS$/],
  [
    'CONDSTORE',
    (said: string) => said.replaceAll(' CONDSTORE', '').replaceAll(' QRESYNC', ''),
    'problem',
    /it has no CONDSTORE$/,
  ],
  ['AUTH=PLAIN', (said: string) => said.replaceAll(' AUTH=PLAIN', ''), 'problem', /it has no AUTH=PLAIN$/],
  [
    'room for keywords',
    (said: string) => said.replaceAll('\\*', '\\-'),
    'problem',
    /keywords of ours.*PERMANENTFLAGS$/,
  ],
  [
    'QRESYNC',
    (said: string) => said.replaceAll(' QRESYNC', ''),
    'warning',
    /accepts the login; without QRESYNC folders/,
  ],
  [
    'a way to measure storage',
    (said: string) => said.replaceAll(' STATUS=SIZE', '').replaceAll(' QUOTA', ''),
    'warning',
    /without STATUS=SIZE or QUOTA the storage/,
  ],
] as const) {
  test(`a server without ${what} is a ${state}`, async () => {
    await using way = await tap(dovecot.server, rewrite)
    const finding = await found(byWayOf(way))
    assert.match(finding.found, words)
    assert.equal(finding.state, state)
  })
}

for (const [what, fail, words] of [
  ['is gone', (proxy: FaultProxy) => proxy.drop(), /^127\.0\.0\.1:\d+: .+/],
  ['falls silent', (proxy: FaultProxy) => proxy.silence(), /: No (?:greeting|answer to \w+) within 4\.5 s$/],
] as const) {
  test(`a server that ${what} is a problem, after seconds`, async () => {
    await using proxy = await FaultProxy.start(dovecot.server)
    fail(proxy)
    const asked = performance.now()
    const finding = await found(byWayOf(proxy))
    assert.ok(performance.now() - asked < limitFor(10_000))
    assert.equal(finding.state, 'problem')
    assert.match(finding.found, words)
  })
}
