import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readMessage } from '#/formats/mime/read-message.ts'
import { anyCharacter } from '#test/world/any-character.ts'
import { each } from '#test/world/each.ts'
import { breaksWhenForwarded, whyNotRelayed, withRewrittenFrom } from './relaying.ts'

const here = 'ada@here.example'
const read = (header: string) => readMessage(Buffer.from(`${header}\r\nBody\r\n`))

for (const [what, header, folder] of [
  ['that this mailbox has passed on before', 'Delivered-To: ADA@here.example\r\n', 'inbox'],
  ['with more than 50 Received', 'Received: by x; now\r\n'.repeat(51), 'inbox'],
  ['that is junk', 'Subject: x\r\n', 'junk'],
] as const)
  test(`a message ${what} is not relayed`, () =>
    assert.equal(typeof whyNotRelayed(read(header).headers, here, folder), 'string'))

for (const [what, header] of [
  ['that another mailbox has passed on', 'Delivered-To: bob@here.example\r\n'],
  ['with 50 Received', 'Received: by x; now\r\n'.repeat(50)],
] as const)
  test(`a message ${what} is relayed`, () =>
    assert.equal(whyNotRelayed(read(header).headers, here, 'inbox'), undefined))

for (const [policy, dkimAligned, loses] of [
  ['reject', false, true],
  ['quarantine', false, true],
  ['none', false, false],
  ['', false, false],
  ['reject', true, false],
] as const)
  test(`with the policy "${policy}", and ${dkimAligned ? 'an' : 'no'} aligned signature, From ${loses ? 'changes' : 'stays'}`, () =>
    assert.equal(breaksWhenForwarded({ policy, dkimAligned }), loses))

function renamed(header: string): string {
  return withRewrittenFrom(read(header), Buffer.from(header), here).toString()
}

test('under its own name a message says who wrote it, and replies go there', () =>
  assert.equal(
    renamed('Received: by x\r\nFrom: "Ann Lee"\r\n <ann@far.example>\r\nTo: b@here.example\r\nSubject: Hi\r\n'),
    `From: "Ann Lee via ${here}" <${here}>\r\nReply-To: <ann@far.example>\r\nReceived: by x\r\nTo: b@here.example\r\nSubject: Hi\r\n`,
  ))

test('a Reply-To that is there stays', () =>
  assert.equal(
    renamed('From: ann@far.example\r\nReply-To: desk@far.example\r\n'),
    `From: "ann at far.example via ${here}" <${here}>\r\nReply-To: desk@far.example\r\n`,
  ))

for (const [what, author, name] of [
  ['is missing', '<ann@far.example>', 'ann at far.example'],
  ['is an address', '"ceo@bank.example" <ann@far.example>', 'ceo at bank.example'],
  ['holds an address', '"Ann Lee (ann@far.example)" <ann@far.example>', 'Ann Lee (ann at far.example)'],
] as const)
  test(`an author's name that ${what} shows no address but ours`, () => {
    const { from } = readMessage(Buffer.from(`${renamed(`From: ${author}\r\n`)}\r\nBody`))
    assert.equal(from?.name, `${name} via ${here}`)
  })

test('whatever From says, the header has one From, ours, and nothing else in it changes', () => {
  const hostile = fc.string({ unit: anyCharacter, maxLength: 80 }).map((text) => text.replace(/[\r\n]/g, ''))
  fc.assert(
    fc.property(hostile, hostile, (name, address) => {
      const header = `A: 1\r\nFrom: "${name}" <${address}>\r\nB: 2\r\n`
      const { headers, from } = readMessage(Buffer.from(`${renamed(header)}\r\nBody`))
      assert.deepEqual([headers.count('from'), from?.address], [1, here])
      const names = each(headers.fields, 'name').filter((name) => name !== 'reply-to')
      assert.deepEqual(names, ['from', 'a', 'b'])
      assert.deepEqual([headers.first('a'), headers.first('b')], ['1', '2'])
    }),
  )
})
