import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '#test/world/any-character.ts'
import { credentials } from './sasl.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

/** A client that answers each challenge with the next of these lines. */
function saying(...lines: readonly string[]) {
  const left = [...lines]
  const asked: string[] = []
  return {
    asked,
    ask: async (challenge: string) => {
      asked.push(Buffer.from(challenge, 'base64').toString())
      return left.shift() ?? assert.fail('asked for more')
    },
  }
}

for (const [what, argument, lines, challenges] of [
  ['PLAIN at once', `PLAIN ${base64('\0ada@here.test\0pass word')}`, [], []],
  ['PLAIN when asked', 'PLAIN', [base64('\0ada@here.test\0pass word')], ['']],
  ['PLAIN in any case, acting for oneself', `plain ${base64('ADA@here.test\0ada@here.test\0pass word')}`, [], []],
  ['LOGIN', 'LOGIN', [base64('ada@here.test'), base64('pass word')], ['Username:', 'Password:']],
  ['LOGIN with the name at once', `LOGIN ${base64('ada@here.test')}`, [base64('pass word')], ['Password:']],
] as const)
  test(`a client logs in by ${what}`, async () => {
    const client = saying(...lines)
    assert.deepEqual(await credentials(argument, client.ask), { login: 'ada@here.test', password: 'pass word' })
    assert.deepEqual(client.asked, challenges)
  })

for (const [what, argument, lines, expected] of [
  ['no mechanism', '', [], 'mechanism'],
  ['an unknown mechanism', 'CRAM-MD5', [], 'mechanism'],
  ['too many words', 'PLAIN a b', [], 'arguments'],
  ['a cancelled exchange', 'LOGIN', ['*'], 'cancelled'],
  ['what is no base64', 'PLAIN', ['#'], 'malformed'],
  ['base64 without its padding', 'PLAIN', ['AGEAYg'], 'malformed'],
  ['an empty response', 'PLAIN =', [], 'malformed'],
  ['no UTF-8', 'PLAIN', [Buffer.from('\0a\0\xff', 'latin1').toString('base64')], 'malformed'],
  ['a part too many', 'PLAIN', [base64('\0a\0b\0c')], 'malformed'],
  ['acting for another', 'PLAIN', [base64('bob@here.test\0ada@here.test\0b')], 'other identity'],
] as const)
  test(`refused: ${what}`, async () => {
    await assert.rejects(credentials(argument, saying(...lines).ask), { fault: expected })
  })

test('any name and password without NUL come through, by both mechanisms', async () => {
  const text = fc.string({ unit: anyCharacter }).filter((one) => !one.includes('\0') && one.isWellFormed())
  await fc.assert(
    fc.asyncProperty(text, text, async (login, password) => {
      const expected = { login, password }
      assert.deepEqual(await credentials('PLAIN', saying(base64(`\0${login}\0${password}`)).ask), expected)
      assert.deepEqual(await credentials('LOGIN', saying(base64(login), base64(password)).ask), expected)
    }),
  )
})
