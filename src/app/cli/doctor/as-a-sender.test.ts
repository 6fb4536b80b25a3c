import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '#/app/config/config.ts'
import type { RelayTrial, TryRelay } from '#/out/relay/relay-trial.ts'
import { startDnsServer } from '#test/world/dns/dns-server.ts'
import { senderFindings } from './as-a-sender.ts'

const hostname = 'mx.mailroom.test'
const files = { MAILROOM_TLS_CERT: '/nowhere/cert.pem', MAILROOM_TLS_KEY: '/nowhere/key.pem' }
const submission = { ...files, MAILROOM_SUBMISSION_TLS_PORT: '465', MAILROOM_SUBMISSION_PORT: '587' }

const well = { ended: 'well' } as const
const forged = { ended: 'insecure', why: 'Its certificate is not trusted' } as const
const rude = { ended: 'refused', why: 'It says 554' } as const
const away = { ended: 'unreachable', why: 'Nobody answers' } as const

/** What is found, with the ports that so answer. */
async function examined(env: Record<string, string>, [smtp, submissions]: readonly [RelayTrial, RelayTrial]) {
  await using dns = await startDnsServer({ [hostname]: { a: ['192.0.2.25'] } })
  const asked: Parameters<TryRelay>[] = []
  const tryRelay: TryRelay = async (...call) => {
    asked.push(call)
    return call[0].port === 25 ? smtp : submissions
  }
  const config = readConfig({ MAILROOM_HOSTNAME: hostname, MAILROOM_DNS_SERVERS: dns.address, ...env })
  return { asked, findings: await senderFindings(config, tryRelay) }
}

for (const [what, env, answers, outside, programs] of [
  ['a trusted certificate is ok', files, [well, away], 'ok', undefined],
  ['none or a wrong one breaks the policy that is enforced', files, [forged, away], 'problem', undefined],
  ['and would break the one that is not', {}, [forged, away], 'warning', undefined],
  ['a server that takes nothing is doubtful', files, [rude, away], 'warning', undefined],
  ['what cannot be reached from here may be elsewhere', files, [away, away], 'warning', undefined],
  ['programs need a trusted one', files, [well, forged], 'ok', 'problem'],
  ['and get one', files, [well, well], 'ok', 'ok'],
  ['they should reach a port that is set', submission, [well, away], 'ok', 'warning'],
] as const)
  test(`as a sender sees it: ${what}`, async () => {
    const { findings } = await examined(env, answers)
    const states = Object.fromEntries(findings.map(({ check, state }) => [check, state]))
    const expected = { 'mail from outside': outside, ...(programs && { 'submission from outside': programs }) }
    assert.deepEqual(states, expected)
    for (const { state, fix } of findings) assert.equal(fix === undefined, state === 'ok')
  })

test('each address of the name is tried under the name, at port 25 by STARTTLS and at port 465 with TLS', async () => {
  const { asked } = await examined(files, [well, well])
  const server = { host: hostname, address: '192.0.2.25', login: undefined }
  assert.deepEqual(asked, [
    [{ ...server, port: 25, tls: 'required' }, hostname],
    [{ ...server, port: 465, tls: 'implicit' }, hostname],
  ])
})

test('a try-out has no senders', async () => {
  const { asked, findings } = await examined({ MAILROOM_HOSTNAME: '' }, [well, well])
  assert.deepEqual([asked, findings], [[], []])
})
