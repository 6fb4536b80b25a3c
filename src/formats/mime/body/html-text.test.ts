import assert from 'node:assert/strict'
import { test } from 'node:test'
import { htmlToText } from './html-text.ts'

for (const [what, html, text] of [
  ['without tags', '<b>Hello</b>, <i>wor</i>ld', 'Hello, world'],
  ['with white space folded', ' Hello \r\n\t<b> world </b> ! ', 'Hello world !'],
  ['with breaks as lines', 'a<br>b<br/>c<BR>\nd', 'a\nb\nc\nd'],
  ['with blocks as lines', '<div>a</div><div>b</div><ul><li>c<li>d</ul>', 'a\nb\nc\nd'],
  ['with paragraphs apart', '<p>a</p><p>b</p><h1>c</h1>d', 'a\n\nb\n\nc\n\nd'],
  ['with cells apart', '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\nc'],
  ['without styles, scripts and title', '<title>t</title><style>p{}</style><script>if (a < b) "</p>"</script>a', 'a'],
  ['without comments', 'a<!-- x > y <b> -->b<!---->c', 'abc'],
  ['with what Outlook hides from others', 'a<!--[if mso]>x<![endif]-->b<!--[if !mso]><!-->c<!--<![endif]-->', 'abc'],
  ['with quotes marked', 'a<blockquote>b<br>c<blockquote>d</blockquote></blockquote>e', 'a\n\n> b\n> c\n\n> > d\n\ne'],
  ['with pre lines', 'A:<pre>\nif <b>x</b>:\r\n\n\n  go( )\n</pre> b <pre>  c</pre>', 'A:\nif x:\n\n  go( )\nb\n  c'],
  ['with preformatted lines of a quotation marked', '<blockquote><pre>a\n  b</pre></blockquote>', '> a\n>   b'],
  ['with preformatted text that never ends', 'a</pre> b <pre>  c\nd', 'a\nb\n  c\nd'],
  ['with entities decoded', '&lt;b&gt; &amp;amp; &eacute;&#233;&#xE9;&hellip;&euro;', '<b> &amp; ééé…€'],
  ['with rare entities decoded', '&hearts;&check;&fjlig;&AMP;', '♥✓fj&'],
  ['with Windows entities decoded', '&#128;&#150;', '€–'],
  ['with impossible entities replaced', '&#0;&#xD800;&#1114112;', '\ufffd\ufffd\ufffd'],
  ['with unknown entities as they are', 'a &nobody; b & c &', 'a &nobody; b & c &'],
  ['with an entity that is a tag as text', '&lt;script&gt;x&lt;/script&gt;', '<script>x</script>'],
  ['with > in an attribute', '<a title="a > b" href=\'x>y\'>c</a>', 'c'],
  ["with a quote in a tag's text", '<a href=x">b</a>c', 'bc'],
  ['with an attribute that is never closed', '<a href="x>b</a><p>c</p>', 'b\n\nc'],
  ['with < that starts no tag', '1 < 2 <3 <>', '1 < 2 <3 <>'],
  ['up to a tag that is never closed', 'a<b', 'a'],
  ['up to a comment that is never closed', 'a<!-- b', 'a'],
  ['up to a style that is never closed', 'a<style>b', 'a'],
  ['of nothing', '', ''],
] as const)
  test(`HTML is read ${what}`, () => assert.equal(htmlToText(html), text))

test('reading stops once there is enough', () => {
  assert.equal(htmlToText('<p>abc</p>'.repeat(1_000), 6), 'abc\n\nabc')
  assert.equal(htmlToText('<blockquote>abc</blockquote>abc', 3), '> abc\n\nabc')
})
