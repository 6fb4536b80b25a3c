import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { invalid, mailUnavailable, notFound, Refusal } from '#/base/errors.ts'
import { LoginRefused } from '#/smtp/submission/log-in.ts'
import { SaslFailure } from '#/smtp/submission/sasl.ts'
import { Bad, No } from '../answers.ts'
import { failureOf } from './refusals.ts'

const withCode = (code: string) => Object.assign(new Error('secret text of ours'), { code })

for (const [what, error, expected, level] of [
  ['a command that is refused', new No('Not so', 'CANNOT'), 'NO [CANNOT] Not so', ''],
  ['one without a code', new No('Not so'), 'NO [] Not so', ''],
  ['one that cannot be read', new Bad('What?'), 'BAD [] What?', ''],
  ['what is not there', notFound('mailbox'), 'NO [NONEXISTENT] No such mailbox', ''],
  ['a folder that is not there', invalid('folder', 'No folder "a"'), 'NO [NONEXISTENT] No folder "a"', ''],
  ['an impossible value', invalid('name', 'Too many folders'), 'NO [CANNOT] Too many folders', ''],
  ['what is forbidden', new Refusal('forbidden', 'No'), 'NO [NOPERM] No', ''],
  ['too much', new Refusal('quota_exceeded', 'Full'), 'NO [OVERQUOTA] Full', ''],
  ['too often', new Refusal('rate_limited', 'Later'), 'NO [LIMIT] Later', ''],
  ['what somebody else works on', new Refusal('conflict', 'Busy'), 'NO [INUSE] Busy', ''],
  [
    ...['a store that is away', mailUnavailable(withCode('x')), /^NO \[UNAVAILABLE\] The mail host did not answer/],
    undefined,
  ],
  ['a database that is away', withCode('ECONNRESET'), /^NO \[UNAVAILABLE\] Mail is not available/, 'warn'],
  ['a fault of ours', withCode('42601'), 'NO [SERVERBUG] Internal error; try again later', 'error'],
  ['an exchange that ends', new SaslFailure('cancelled', 'Over'), 'BAD [] Over', ''],
  ['an unknown mechanism', new SaslFailure('mechanism', 'What?'), 'NO [CANNOT] What?', ''],
  ['acting for another', new SaslFailure('other identity', 'No'), 'NO [AUTHORIZATIONFAILED] No', ''],
  ['a wrong password', new LoginRefused('wrong', 'No'), 'NO [AUTHENTICATIONFAILED] No', ''],
  ['too many wrong ones', new LoginRefused('throttled', 'No'), 'NO [LIMIT] No', ''],
  ['too many at once', new LoginRefused('busy', 'No'), 'NO [UNAVAILABLE] No', ''],
  ['a suspended mailbox', new LoginRefused('suspended', 'No'), 'NO [CONTACTADMIN] No', ''],
] as const)
  test(`the answer to ${what}`, () => {
    const lines: { level: string }[] = []
    const log = pino(
      { formatters: { level: (level) => ({ level }) } },
      { write: (line) => lines.push(JSON.parse(line)) },
    )
    const { status, text, code = '' } = failureOf(error, log, 'FETCH')
    const said = `${status} [${code}] ${text}`
    if (typeof expected === 'string') assert.equal(said, expected)
    else assert.match(said, expected)
    assert.doesNotMatch(said, /secret/)
    assert.deepEqual(
      lines.map((line) => line.level),
      level ? [level] : [],
    )
  })
