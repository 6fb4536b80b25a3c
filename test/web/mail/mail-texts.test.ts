import assert from 'node:assert/strict'
import { test } from 'node:test'
import { undoneText } from '../../../web/src/pages/changes/undone-text.ts'
import { liftStyles } from '../../../web/src/pages/mail/html/lift-styles.ts'
import { partsOf, pieces, portionsOf } from '../../../web/src/pages/mail/message/quotes.ts'

const quoted = (text: string) => partsOf(text).map(({ isQuoted, text: part }) => (isQuoted ? `> ${part}` : part))

for (const [what, text, expected] of [
  ['nothing', 'Dear Ada,\n\nyes.\n', ['Dear Ada,\n\nyes.']],
  [
    'what stands at its end, with whom it quotes',
    'Yes.\n\nOn Monday Ada wrote:\n> Is it?\n>\n> Ada\n',
    ['Yes.', '> On Monday Ada wrote:\n> Is it?\n>\n> Ada'],
  ],
  [
    'whom it quotes in two lines',
    'Yes.\n\nOn Monday, 23 November 2026,\nAda Lovelace wrote:\n\n> Is it?',
    ['Yes.', '> On Monday, 23 November 2026,\nAda Lovelace wrote:\n\n> Is it?'],
  ],
  ['what is answered between', '> Is it?\n\nYes.\n\n> Really?\n\nYes.', ['> > Is it?', 'Yes.', '> > Really?', 'Yes.']],
] as const)
  test(`a text quotes ${what}`, () => assert.deepEqual(quoted(text), expected))

test('a text with 500,000 spaces within it is kept', () => {
  const text = `Hello${' '.repeat(500_000)}Ada`
  assert.deepEqual(quoted(`\n${text} \n\n> Hi`), [text, '> > Hi'])
})

for (const [text, href] of [
  ['see https://a.example/b?c=d#e.', 'https://a.example/b?c=d#e'],
  ['(https://a.example/b)', 'https://a.example/b'],
  ['https://a.example/b_(c)', 'https://a.example/b_(c)'],
  ['<http://a.example>', 'http://a.example'],
  ['javascript:alert(1) data:text/html,x ftp://a.example', undefined],
] as const)
  test(`the address in ${JSON.stringify(text)}`, () => {
    const found = pieces(text)
    assert.equal(found.map((piece) => piece.text).join(''), text)
    assert.equal(found.find((piece) => piece.href !== undefined)?.href, href)
  })

for (const [what, undone, text] of [
  ['all of it', [{ left_alone: 0 }], 'Undone'],
  ['all but one', [{ left_alone: 1, left: ['gone'] }], 'Undone, but for a message: no longer there'],
  [
    'some of several changes',
    [{ left_alone: 0 }, { left_alone: 1_200, left: ['moved', 'moved', 'changed'] }],
    'Undone, but for 1,200 messages: moved elsewhere since, changed since',
  ],
  ['a part of it', [{ state: 'failed', error: 'Out of order', left_alone: 0 }], 'Undone only in part: Out of order'],
  ['a part of it so far', [{ state: 'running', left_alone: 0 }], 'Undoing continues in the background'],
] as const)
  test(`what is said of an undo that put back ${what}`, () => {
    const changes = undone.map(({ left_alone, ...one }) => ({
      ...{ state: 'state' in one ? one.state : ('done' as const), left_alone },
      error: 'error' in one ? one.error : null,
      left: ('left' in one ? one.left : []).map((reason) => ({
        ...{ id: null, mailbox: 'a@x.test', folder: 'trash', uid: 1, reason },
      })),
    }))
    assert.equal(undoneText(changes), text)
  })

for (const [what, html, kept, css] of [
  ['an element', 'a<style type="text/css">p { color: red }</style>b', 'ab', ['p { color: red }']],
  [
    'an attribute',
    `<p title="a style = b" style='color: red'>style="x"</p>`,
    `<p title="a data-own-style = b" style='color: red'>style="x"</p>`,
    [],
  ],
  [
    'one attribute after another',
    '<p class="a" STYLE = "color: red">',
    '<p class="a" data-own-style = "color: red">',
    [],
  ],
  ['a comment, whatever is in it', 'a<!--[if mso]><style>p {}</style><![endif]-->b', 'ab', []],
  ['what is cut short', 'a<style>p {', 'a', ['p {']],
  ['a tag that is cut short', 'a < b <p style="', 'a < b <p style="', []],
] as const)
  test(`styles are lifted out of HTML: ${what}`, () => assert.deepEqual(liftStyles(html), { html: kept, css }))

for (const [what, text] of [
  ['lines', 'One line\n'.repeat(20_000)],
  ['a line', 'One line '.repeat(20_000)],
  ['quotations by turns', '> Is it?\nYes.\n'.repeat(5_000)],
] as const)
  test(`a long text is shown in portions that are small, and nothing is lost: ${what}`, () => {
    const parts = partsOf(text)
    const portions = portionsOf(parts)
    const blocks = portions.flat()
    assert.ok(portions.length > 5)
    for (const portion of portions) {
      assert.ok(portion.length <= 300)
      assert.ok(portion.reduce((sum, { text: block }) => sum + block.length, 0) <= 20_000)
    }
    const wordsOf = (all: readonly { text: string }[]) => all.map(({ text: one }) => one.replace(/\s/g, '')).join('')
    assert.equal(wordsOf(blocks), wordsOf(parts))
  })

test('a usual text is one portion', () => {
  const parts = partsOf('Yes.\n\nOn Monday Ada wrote:\n> Is it?')
  assert.deepEqual(portionsOf(parts), [parts])
})
