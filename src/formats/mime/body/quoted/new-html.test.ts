import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { newHtml } from './new-html.ts'

for (const [what, html, kept] of [
  ['a message that quotes nothing', '<p>Yes.</p>', '<p>Yes.</p>'],
  ['Apple Mail', 'Yes.<blockquote type="cite">Is it?<br></blockquote>', 'Yes.'],
  ['answers between', "<blockquote type=cite>A?</blockquote>Yes.<blockquote type='CITE'>B?</blockquote>No.", 'Yes.No.'],
  [
    'Gmail',
    '<div dir="ltr">Yes.</div><br><div class="gmail_quote gmail_quote_container"><div>On … wrote:</div><div>Is it?</div></div>',
    '<div dir="ltr">Yes.</div><br>',
  ],
  [
    'Gmail, with answers in between',
    '<div class="gmail_quote"><div class="gmail_attr">On … wrote:</div><blockquote class="gmail_quote"><div>A?</div></blockquote><div>Yes.</div><blockquote class="gmail_quote">B?</blockquote>No.</div>.',
    '<div class="gmail_quote"><div>Yes.</div>No.</div>.',
  ],
  [
    'Gmail, whose quotation has one',
    'Yes.<div class="gmail_quote"><div><blockquote class="gmail_quote">A?</blockquote>B?</div></div>.',
    'Yes..',
  ],
  [
    'Thunderbird',
    '<p>Yes.</p><div class="moz-cite-prefix">Am … schrieb:<br></div><blockquote type="cite" cite="mid:1@x">Is it?</blockquote><div class="moz-signature">-- <br>Ada</div>',
    '<p>Yes.</p>',
  ],
  [
    'Outlook',
    '<body><div>Yes.</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg">From: Ann</div><div>Is it?</div></body>',
    '<body><div>Yes.</div>',
  ],
  [
    'Outlook for Mac',
    '<div>Yes.</div><div id="mail-editor-reference-message-container"><div>From: Ann</div></div><div>Is it?</div>',
    '<div>Yes.</div>',
  ],
  [
    'Outlook for Windows',
    "<div><p>Yes.</p><div><div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0in 0in 0in'><p>From: Ann</p></div></div><p>Is it?</p></div>",
    '<div><p>Yes.</p><div>',
  ],
  [
    'another element with a line above',
    '<div style="border-top:solid #E1E1E1 1.0pt">Yes.</div>',
    '<div style="border-top:solid #E1E1E1 1.0pt">Yes.</div>',
  ],
  ['a signature', '<div>Yes.</div><div class="gmail_signature"><div>Ada</div></div>!', '<div>Yes.</div>!'],
  ['a blockquote of the author’s own', '<blockquote>It is.</blockquote>', '<blockquote>It is.</blockquote>'],
  ['a word of a class', '<div class="my_gmail_quote">Yes.</div>', '<div class="my_gmail_quote">Yes.</div>'],
  ['an attribute that ends so', '<div data-id="appendonsend">Yes.</div>', '<div data-id="appendonsend">Yes.</div>'],
  ['a quotation in a comment', '<!-- <blockquote type="cite"> -->Yes.', '<!-- <blockquote type="cite"> -->Yes.'],
  ['a quotation that is never closed', 'Yes.<blockquote type="cite">Is it?', 'Yes.'],
  ['an element without content', 'Yes.<br class="moz-cite-prefix">No.', 'Yes.No.'],
  ['nothing', '', ''],
] as const)
  test(`what is new of ${what}`, () => assert.equal(newHtml(html), kept))

test('of any HTML nothing is added and nothing changes its place', () => {
  const token = fc.constantFrom(
    ...['<div>', '</div>', '<div class="gmail_quote">', '<blockquote class="gmail_quote">', '</blockquote>', 'a', '<'],
    ...['<blockquote type="cite">', '"', '<!--', '-->', '<br class=moz-cite-prefix>', '<p id=appendonsend>'],
    ...['<style>', '</style>'],
  )
  fc.assert(
    fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
      const html = tokens.join('')
      const kept = newHtml(html)
      let at = 0
      for (const character of kept) {
        at = html.indexOf(character, at) + 1
        assert.ok(at > 0)
      }
    }),
  )
})
