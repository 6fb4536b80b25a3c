import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readHeaders } from './headers.ts'
import { ownIdField } from './own-ids.ts'
import { sendableIds, type ThreadIds, threadIds } from './references.ts'

/** `octets` is written as latin1: one character, one byte. */
function idsOf(...octets: string[]): ThreadIds {
  return threadIds(readHeaders(Buffer.from(`${octets.join('\r\n')}\r\n\r\n`, 'latin1')).headers)
}

function own(own: string, given: string): string {
  return ownIdField([{ own, given }]).trimEnd()
}

for (const [what, field, messageId] of [
  ['as it is written', 'Message-ID: <Aa.1@Example.com>', '<Aa.1@Example.com>'],
  ['without the white space in it', 'Message-ID: < a\r\n b @ c >', '<ab@c>'],
  ['folded onto the next line', 'Message-ID:\r\n <a@b>', '<a@b>'],
  ['without its comments', 'Message-ID: (made by (x) <no@no>) <a@b> (y)', '<a@b>'],
  ['with parentheses that are part of it', 'Message-ID: <a(1)@b>', '<a(1)@b>'],
  ['the first of several', 'Message-ID: <a@b> <c@d>', '<a@b>'],
  ['the last of several fields', 'Message-ID: <a@b>\r\nMessage-ID: <c@d>', '<c@d>'],
  ['of an earlier field where the last is empty', 'Message-ID: <a@b>\r\nMessage-ID:', '<a@b>'],
  ['without brackets', 'Message-ID: a@b', '<a@b>'],
  ['without brackets or @', 'Message-ID: abc', '<abc>'],
  ['without @', 'Message-ID: <abc>', '<abc>'],
  ['without its end', 'Message-ID: <a@b', '<a@b>'],
  ['in UTF-8', 'Message-ID: <\xc3\xbc@b>', '<ü@b>'],
  ['in another charset', 'Message-ID: <\xfc@b>', '<ü@b>'],
  ['whose UTF-8 ends in an octet that latin1 takes for a space', 'Message-ID: \xc3\xa0', '<à>'],
  ['without a NUL', 'Message-ID: <a\0@b>', '<a@b>'],
  ['not where it is empty', 'Message-ID: <>', null],
  ['not where there are several bare words', 'Message-ID: no id here', null],
  ['not where there is a comment alone', 'Message-ID: (none)', null],
  ['not where it is longer than a line can be', `Message-ID: <${'a'.repeat(1_000)}@b>`, null],
  ['not where there is none', 'Subject: <a@b>', null],
] as const)
  test(`a message's own id is read ${what}`, () => assert.equal(idsOf(field).messageId, messageId))

for (const [what, fields, strong, weak] of [
  ['every id with an @ in References', ['References: <a@b> <c@d>'], ['<a@b>', '<c@d>'], []],
  ['ours in front of a relay’s', ['References: <a@b> <C@d>', own('<1@x>', '<c@d>')], ['<a@b>', '<1@x>', '<C@d>'], []],
  ['ours where a relay’s is weak', ['In-Reply-To: mail <c@d>', own('<1@x>', '<c@d>')], ['<1@x>'], ['<c@d>']],
  ['ours where the message itself has a relay’s', ['Message-ID: <c@d>', own('<1@x>', '<c@d>')], ['<1@x>'], []],
  ['nothing in ours that is no id', ['References: <c@d>', 'X-Mailroom-Own-ID: <1@x', '\t<c@d> x'], ['<c@d>'], []],
  ['all References fields', ['References: <a@b>', 'Subject: x', 'References: <c@d>'], ['<a@b>', '<c@d>'], []],
  ['folded References', ['References: <a@b>\r\n\t<c@d>\r\n <e@f>'], ['<a@b>', '<c@d>', '<e@f>'], []],
  ['References without spaces between', ['References: <a@b><c@d>'], ['<a@b>', '<c@d>'], []],
  ['References with commas between', ['References: <a@b>, <c@d>'], ['<a@b>', '<c@d>'], []],
  ['References between words', ['References: see <a@b> and <c@d>.'], ['<a@b>', '<c@d>'], []],
  ['an id that is folded in its middle', ['References: <a\r\n @b>'], ['<a@b>'], []],
  ['an id within a comment as none', ['References: <a@b> (not <c@d>) <e@f>'], ['<a@b>', '<e@f>'], []],
  ['a comment within a comment as one', ['References: (a (b) <x@y>) <e@f>'], ['<e@f>'], []],
  ['an escaped parenthesis as part of the comment', ['References: (a \\) <x@y>) <e@f>'], ['<e@f>'], []],
  ['a comment without its end as no comment', ['References: (a <a@b> <c@d>'], ['<a@b>', '<c@d>'], []],
  ['an id without its end before another', ['References: <a@b <c@d>'], ['<a@b>', '<c@d>'], []],
  ['an id behind words without their end', ['References: <Your message of "Monday" <a@b>'], ['<a@b>'], ['<Your>']],
  ['an id without its end before a quoted one', ['References: <a@b <"c"@d>'], ['<a@b>', '<"c"@d>'], []],
  ['an id without its end, up to a space', ['References: <a@b and more'], ['<a@b>'], []],
  ['brackets within brackets', ['References: <<a@b>>'], ['<a@b>'], []],
  ['nothing in empty brackets', ['References: <> < >'], [], []],
  ['an id without @ in References, weakly', ['References: <a@b> <abc>'], ['<a@b>'], ['<abc>']],
  ['References that are one bare word, weakly', ['References: a@b'], [], ['<a@b>']],
  ['References that are one bare word and a comment, weakly', ['References: a@b (x)'], [], ['<a@b>']],
  ['nothing in a bare word without @', ['References: abc', 'In-Reply-To: def'], [], []],
  ['nothing in several bare words', ['References: a@b c@d', 'In-Reply-To: mail of ann@b'], [], []],
  ['In-Reply-To that is one id', ['In-Reply-To: <a@b>'], ['<a@b>'], []],
  ['In-Reply-To that is one id and words', ['In-Reply-To: <a@b> of Monday'], ['<a@b>'], []],
  ['In-Reply-To whose comment holds an address', ['In-Reply-To: <a@b> (Ann <ann@c>)'], ['<a@b>'], []],
  ['In-Reply-To that is one id on the next line', ['In-Reply-To:\r\n <a@b>'], ['<a@b>'], []],
  ['two ids in In-Reply-To, weakly', ['In-Reply-To: <a@b> <c@d>'], [], ['<a@b>', '<c@d>']],
  ['In-Reply-To that names an author, weakly', ['In-Reply-To: Message from X <x@y> of Monday'], [], ['<x@y>']],
  ['In-Reply-To that names both, weakly', ['In-Reply-To: Ann <x@y>: <a@b>'], [], ['<x@y>', '<a@b>']],
  ['In-Reply-To that starts with a comment, weakly', ['In-Reply-To: (x) <a@b>'], [], ['<a@b>']],
  ['an id without @ in In-Reply-To, weakly', ['In-Reply-To: <abc>'], [], ['<abc>']],
  ['In-Reply-To that is one bare word, weakly', ['In-Reply-To: a@b'], [], ['<a@b>']],
  ['each In-Reply-To field by itself', ['In-Reply-To: <a@b>', 'In-Reply-To: x <c@d>'], ['<a@b>'], ['<c@d>']],
  ['References before In-Reply-To', ['In-Reply-To: <c@d>', 'References: <a@b>'], ['<a@b>', '<c@d>'], []],
  ['an id once', ['References: <a@b> <a@b>', 'In-Reply-To: <a@b>'], ['<a@b>'], []],
  ['an id that is both as strong', ['References: <a@b>', 'In-Reply-To: x <a@b>'], ['<a@b>'], []],
  ['ids that differ in case as two', ['References: <a@b> <A@b>'], ['<a@b>', '<A@b>'], []],
  ['ids in two charsets, each for itself', ['References: <\xc3\xbc@b> <\xfc@c>'], ['<ü@b>', '<ü@c>'], []],
] as const)
  test(`reading references takes ${what}`, () => {
    const ids = idsOf('Message-ID: <own@x>', ...fields)
    assert.deepEqual({ strong: ids.strong, weak: ids.weak }, { strong, weak })
  })

for (const [what, fields, root] of [
  ['the first reference', ['In-Reply-To: <c@d>', 'References: <a@b> <c@d>', 'Message-ID: <own@x>'], '<a@b>'],
  ['a strong In-Reply-To', ['In-Reply-To: <c@d>', 'Message-ID: <own@x>'], '<c@d>'],
  ['a strong In-Reply-To before weak References', ['References: <abc>', 'In-Reply-To: <c@d>'], '<c@d>'],
  ['its own id where it refers only weakly', ['In-Reply-To: c@d', 'Message-ID: <own@x>'], '<own@x>'],
  ['its own id where it refers to none', ['Message-ID: <own@x>'], '<own@x>'],
  ['nothing where it has no id', ['Subject: x'], null],
] as const)
  test(`a message claims ${what} as its root`, () => assert.equal(idsOf(...fields).root, root))

test('ids that are written are read again, in their order', () => {
  const unit = fc.constantFrom(...'abcXYZ019.!#$%&*+-/=?^_{|}~()[]\\",:;')
  const part = fc.string({ unit, minLength: 1, maxLength: 20 })
  const id = fc.tuple(part, part).map(([left, right]) => `<${left}@${right}>`)
  const space = fc.constantFrom(' ', '\r\n ', '\t', '', ', ', ' (see <x@y>) ')
  fc.assert(
    fc.property(fc.uniqueArray(id, { minLength: 1 }), space, (ids, between) => {
      assert.deepEqual(idsOf(`References: ${ids.join(between)}`).strong, ids)
    }),
  )
})

test('any octets are read without failing, into ids of one shape', () => {
  const one = ['<', '>', '@', '(', ')', '\\', '"', 'a', 'bc', ' ', '\r\n ', '\0', '\xa0', '\xc3\xbc', '\xff', ',']
  const token = fc.constantFrom(...one)
  const field = fc.tuple(fc.constantFrom('References', 'In-Reply-To', 'Message-ID'), fc.array(token, { maxLength: 30 }))
  fc.assert(
    fc.property(fc.array(field, { maxLength: 5 }), (fields) => {
      const { messageId, strong, weak, root } = idsOf(...fields.map(([name, tokens]) => `${name}: ${tokens.join('')}`))
      const all = [...strong, ...weak]
      assert.equal(new Set(all).size, all.length)
      for (const id of messageId ? [...all, messageId] : all) assert.match(id, /^<[^\x00-\x20\x7f-\x9f<]+>$/)
      for (const id of strong) assert.ok(id.includes('@'))
      assert.equal(root, strong[0] ?? messageId)
    }),
    { numRuns: 3_000 },
  )
})

test('100,000 references are all read', () => {
  const ids = Array.from({ length: 100_000 }, (_, place) => `<${place}.abcdef@mail.example.com>`)
  assert.deepEqual(idsOf(`References: ${ids.join('\r\n ')}`).strong, ids)
})

for (const [text, ids] of [
  ['<a@b> <c@d>', ['<a@b>', '<c@d>']],
  ['<a@b@c>x<@b><a@><@><a>', ['<a@b@c>']],
  ['<@@b> <a@@> <a b@c> <a@b', ['<@@b>', '<a@@>']],
  ['<ä@b><a@b\r\n c>', []],
] as const)
  test(`the ids that can be sent of ${JSON.stringify(text)}`, () => assert.deepEqual(sendableIds(text), ids))
