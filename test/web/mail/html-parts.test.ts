import assert from 'node:assert/strict'
import { test } from 'node:test'
import { htmlParts } from '../../../web/src/pages/mail/html/html-parts.ts'
import { liftedPieces } from '../../../web/src/pages/mail/html/lift-styles.ts'

// On one database: none is asked.

const partsOf = (html: string) => htmlParts(liftedPieces(html).pieces)
const tagsIn = (html: string) => html.match(/</g)?.length ?? 0
const textOf = (html: string) => html.replace(/<[^>]*>/g, '')

test('a usual message is one part, as it is', () => {
  const html = `<p>Dear Ada,</p><table><tr><td>${'<p>a line<br>'.repeat(500)}</table>`
  assert.deepEqual(partsOf(html), [html])
})

for (const [what, html, most] of [
  ['paragraphs', '<p>One and two</p>'.repeat(50_000), 3_000],
  ['paragraphs that nothing ends', '<p>One and two'.repeat(50_000), 3_000],
  ['a table', `<table border=1>${'<tr><td>One<td>Two</tr>'.repeat(20_000)}</table>`, 3_000],
  ['tables in each other', '<table><tr><td>One'.repeat(20_000), 500],
  ['tags in each other', '<div>One '.repeat(50_000), 3_000],
  ['end tags of nothing', '</div>One '.repeat(50_000), 3_000],
] as const)
  test(`a long message is cut into parts of few tags, in which nothing is lost: ${what}`, () => {
    const parts = partsOf(html)
    for (const part of parts) assert.ok(tagsIn(part) <= most, `${tagsIn(part)} tags`)
    assert.equal(parts.map(textOf).join(''), textOf(html))
  })

test('parts have fewer tags where the styles have more selectors', () => {
  const { pieces } = liftedPieces('<p>One</p>'.repeat(10_000))
  const usual = htmlParts(pieces, 100).length
  assert.equal(htmlParts(pieces).length, usual)
  assert.ok(htmlParts(pieces, 5_000).length > 9 * usual)
})

test('text is cut between words', () => {
  const text = 'One and two, and so on. '.repeat(20_000)
  const parts = partsOf(`<p>${text}</p>`)
  assert.equal(parts.map(textOf).join(''), text)
  assert.ok(parts.length > 4 && parts.every(({ length }) => length < 101_000))
  assert.ok(parts.slice(1).every((part) => part.startsWith('<p> ')))
  assert.equal(partsOf('x'.repeat(250_000)).join(''), 'x'.repeat(250_000))
})

for (const [what, before, opened] of [
  ['a table', '<table width=600><tr><th>Name</th></tr>', '<table width=600>'],
  ['a list', '<ol><li>One</li>', '<ol>'],
  ['a quotation', '<blockquote type="cite"><p>On Monday</p>', '<blockquote type="cite">'],
  ['what a paragraph is in', '<div><p>One<p>Two</p>', '<div>'],
  ['nothing that has ended', '<table><tr><td><div>One</td></tr></table><div><p>Two</div>', ''],
  ['nothing that is empty', '<img src="cid:a"><br><hr>', ''],
  ['the body, which has colours', '<html><head><title>x</title></head><body bgcolor=blue>', '<body bgcolor=blue>'],
] as const)
  test(`what is open where a message is cut is opened again: ${what}`, () => {
    const [, second = ''] = partsOf(`${before}${'<br>'.repeat(5_000)}`)
    assert.equal(second.slice(0, second.indexOf('<br>')), opened)
  })

test('a tag whose attributes are long is opened again without them', () => {
  const [, second = ''] = partsOf(`<div title="${'x'.repeat(1_500)}">${'<br>'.repeat(5_000)}`)
  assert.match(second, /^<div><br>/)
})
