import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRelayUrl } from '#/app/config/relay-url.ts'
import { certificateFor } from '#test/world/sockets/certificate.ts'
import { freePort } from '#test/world/sockets/free-port.ts'
import { Sink, type SinkOptions } from '#test/world/sockets/sink.ts'
import { tryRelay } from './trial.ts'

const login = { user: 'ann', password: 'hunter2hunter2' }
const us = 'mx.mailroom.test'

/** How a trial of such a relay ends, by a URL with `PORT` in it. */
async function trial(options: SinkOptions, url: string) {
  await using sink = await Sink.start(options)
  const ended = await tryRelay(parseRelayUrl(url.replace('PORT', String(sink.port))), us)
  return { ...ended, lines: sink.lines }
}

test('a relay is well that lets us in; no message is begun', async () => {
  const withLogin = await trial({ login }, 'smtp://ann:hunter2hunter2@127.0.0.1:PORT?starttls=never')
  assert.equal(withLogin.ended, 'well')
  assert.ok(withLogin.lines.includes(`EHLO ${us}`))
  assert.doesNotMatch(withLogin.lines.join('\n'), /^(MAIL|RCPT|DATA)/m)
  assert.equal((await trial({}, 'smtp://127.0.0.1:PORT')).ended, 'well')
})

const wrong = 'smtp://ann:wrong@127.0.0.1:PORT'
const busy = (step: string) => (step === 'greeting' ? '554 5.7.1 Not you' : undefined)
for (const [what, options, url, ended, why] of [
  ['refuses the login', { login }, `${wrong}?starttls=never`, 'refused', 'refused our login: 535 5.7.8 Who are you?'],
  [
    'takes no logins',
    {},
    `${wrong}?starttls=never`,
    'refused',
    'supports no known authentication mechanism (PLAIN, LOGIN)',
  ],
  ['offers no TLS', { login }, wrong, 'insecure', 'offers no TLS, which is required'],
  ['is busy', { act: busy }, 'smtp://127.0.0.1:PORT', 'refused', 'refused our connection: 554 5.7.1 Not you'],
] as const satisfies [string, SinkOptions, string, string, string][])
  test(`a relay that ${what} says so`, async () => {
    const { lines, ...found } = await trial(options, url)
    assert.deepEqual(found, { ended, why: `127.0.0.1 ${why}` }, lines.join('\n'))
  })

test('a relay that nobody can trust says so, by STARTTLS and from the start', async () => {
  const tls = certificateFor('other.test')
  for (const [options, url] of [
    [{ tls }, 'smtp://127.0.0.1:PORT?starttls=required'],
    [{ tls: { ...tls, implicit: true } }, 'smtps://127.0.0.1:PORT'],
  ] as const) {
    const { ended, ...rest } = await trial(options, url)
    assert.equal(ended, 'insecure')
    assert.match(JSON.stringify(rest), /The certificate of 127\.0\.0\.1 is not trusted/)
  }
})

test('a relay is tried at the address that is given, under its name', async () => {
  await using sink = await Sink.start({ tls: certificateFor('other.test') })
  const server = {
    host: 'mx.example',
    address: '127.0.0.1',
    port: sink.port,
    tls: 'required',
    login: undefined,
  } as const
  const { why } = { why: '', ...(await tryRelay(server, us)) }
  assert.match(why, /^The certificate of mx\.example is not trusted/)
})

test('a relay that is not there cannot be reached', async () => {
  const absent = await tryRelay(parseRelayUrl(`smtp://127.0.0.1:${await freePort()}`), us)
  assert.deepEqual(absent, { ended: 'unreachable', why: '127.0.0.1 could not be reached: connection refused' })
})
