import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerTo, type Mode } from '../../../web/src/pages/write/beginning/answer.ts'
import { looksRight, shortName, splitAddresses, written } from '../../../web/src/pages/write/recipients/addresses.ts'
import { isCalled, ranked } from '../../../web/src/pages/write/recipients/correspondents.ts'
import { choicesFrom, windowFrom } from '../../../web/src/pages/write/sending/times.ts'

for (const [typed, expected] of [
  ['ann@a.example, Bob <bob@b.example>; eve@e.example', ['ann@a.example', 'Bob <bob@b.example>', 'eve@e.example']],
  ['"Lovelace, Ada" <ada@a.example>\nbob@b.example', ['"Lovelace, Ada" <ada@a.example>', 'bob@b.example']],
  ['"unfinished, ann@a.example', ['"unfinished', 'ann@a.example']],
  [' , ;', []],
] as const)
  test(`${JSON.stringify(typed)} has the recipients ${expected}`, () =>
    assert.deepEqual(splitAddresses(typed), expected))

for (const [text, name, isRight] of [
  ['Ann <ann@a.example>', 'Ann', true],
  ['"Lovelace, Ada" <ada@a.example>', 'Lovelace, Ada', true],
  ['ann@localhost', 'ann@localhost', true],
  ['ann@', 'ann@', false],
  ['Ann Miller', 'Ann Miller', false],
] as const)
  test(`${text} is called ${name}, and ${isRight ? 'looks' : 'does not look'} like an address`, () =>
    assert.deepEqual([shortName(text), looksRight(text)], [name, isRight]))

test('a name is put in quotes where it needs them, and loses what turns the direction of text', () => {
  const address = 'a@a.example'
  assert.equal(written({ name: 'Lovelace, "Ada"', address }), '"Lovelace, \\"Ada\\"" <a@a.example>')
  assert.equal(written({ name: '\u202eAnn\r\n', address }), 'Ann <a@a.example>')
})

const person = (local: string) => ({ name: '', address: `${local}@a.example` })
const original = {
  ...{ from: person('ann'), to: [person('ada'), person('bob')], cc: [person('eve'), person('Bob')], reply_to: [] },
  ...{ subject: 'The engine', message_id: '<2@a>', in_reply_to: '<1@a>', references: ['<0@a>', '<1@a>'] },
}
const own = ['ada@a.example']

for (const [what, change, mode, to, cc] of [
  ['its author', {}, 'reply', ['ann'], []],
  ['where its author wants answers', { reply_to: [person('list')] }, 'reply', ['list'], []],
  ['all but oneself, each once', {}, 'reply_all', ['ann', 'bob'], ['eve']],
  ['the recipients of what one wrote oneself', { from: person('ada'), to: [person('bob')] }, 'reply', ['bob'], []],
  ['nobody yet, where it is forwarded', {}, 'forward', [], []],
] as const)
  test(`an answer goes to ${what}`, () => {
    const answer = answerTo({ ...original, ...structuredClone(change) } as typeof original, mode, own)
    const locals = (people: readonly string[]) => people.map((one) => one.split('@')[0])
    assert.deepEqual([locals(answer.to), locals(answer.cc)], [to, cc])
  })

for (const [subject, mode, expected] of [
  ['The engine', 'reply', 'Re: The engine'],
  ['AW: Re[2]: The engine', 'reply', 'Re: The engine'],
  ['Fwd: The engine', 'reply', 'Re: Fwd: The engine'],
  ['WG: Fw: The engine', 'forward', 'Fwd: The engine'],
  ['Reply: by Monday', 'reply', 'Re: Reply: by Monday'],
] as const satisfies readonly (readonly [string, Mode, string])[])
  test(`"${subject}" is answered as "${expected}" (${mode})`, () =>
    assert.equal(answerTo({ ...original, subject }, mode, own).subject, expected))

test('an answer names what it answers, and at most a hundred messages before; what forwards a message names that', () => {
  assert.deepEqual(answerTo(original, 'reply', own).references, ['<0@a>', '<1@a>', '<2@a>'])
  const references = Array.from({ length: 150 }, (_, index) => `<${index}@b>`)
  const answer = answerTo({ ...original, references }, 'reply', own)
  assert.equal(answer.inReplyTo, '<2@a>')
  assert.deepEqual(
    [answer.references?.length, answer.references?.[0], answer.references?.at(-1)],
    [100, '<0@b>', '<2@a>'],
  )
  const forwarding = answerTo(original, 'forward', own)
  assert.deepEqual([forwarding.references, forwarding.forwards], [undefined, '<2@a>'])
  assert.equal(answerTo({ ...original, message_id: '<\r\n@b>' }, 'forward', own).forwards, undefined)
})

test('what is offered for later is later, and within what can be scheduled', () => {
  for (let hour = 0; hour < 24 * 8; hour++) {
    const now = new Date(2026, 10, 23, hour, 30)
    const { first, last } = windowFrom(now)
    for (const { name, at } of choicesFrom(now)) assert.ok(at >= first && at <= last, `${name} at ${now}`)
  }
})

for (const [typed, expected] of [
  ['zo', true],
  ['ZOË mil', true],
  ['mil zo', true],
  ['books', true],
  ['ann@books', false],
  ['z.miller@b', true],
  ['oë', false],
  ['', false],
] as const) {
  const person = { name: 'Zoë Miller', address: 'z.miller@books.example' }
  test(`${JSON.stringify(typed)} ${expected ? 'may' : 'cannot'} mean Zoë Miller`, () =>
    assert.equal(isCalled(person, typed), expected))
}

test('whom one writes to is suggested before who writes, each once, with a name where one is known', () => {
  const nameless = (name: string) => ({ name: '', address: `${name}@a.example` })
  const [ann, bob, eve] = [nameless('ann'), nameless('bob'), nameless('eve')]
  const named = { name: 'Bob', address: 'BOB@a.example' }
  const own = { name: 'Ada', address: 'ada@a.example' }
  const sent = [{ from: own, to: [bob] }]
  const received = [
    { from: eve, to: [own, ann] },
    { from: named, to: [own] },
  ]
  assert.deepEqual(ranked(sent, received, 'Ada@a.example'), [named, eve, ann])
})
