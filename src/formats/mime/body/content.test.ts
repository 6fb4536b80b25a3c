import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import PostalMime from 'postal-mime'
import { each } from '#test/world/each.ts'
import { readMessage } from '../read-message.ts'
import { attachmentBytes, readContent } from './content.ts'

const message = (text: string) => Buffer.from(text.replace(/\r?\n/g, '\r\n'), 'latin1')
const part = (header: string, body: string) => `--b\n${header}${header && '\n'}\n${body}\n`
const parts = (type: string, ...bodies: string[]) =>
  message(`Content-Type: ${type}; boundary=b\n\n${bodies.join('')}--b--\n`)
const mixed = (...bodies: string[]) => parts('multipart/mixed', ...bodies)
const alternative = (...bodies: string[]) => parts('multipart/alternative', ...bodies)
const html = 'Content-Type: text/html'
const picture = 'Content-Type: image/png\nContent-ID: <x@y>'
const named = 'Content-Type: text/plain; name=a.txt'
const shown = 'Content-Disposition: inline; filename=a.htm'
const inner = (type: string, ...bodies: string[]) =>
  `--b\nContent-Type: ${type}; boundary=i\n\n${bodies.join('').replaceAll('--b\n', '--i\n')}--i--\n`
const [one, two] = [part('', 'one'), part('', 'two')]
const delimited = (text: string) => message(`Content-Type: multipart/mixed; boundary=b\n${text}--b--\n`)
const inCharset = (charset: string, octets: string) =>
  message(`Content-Type: text/plain; charset=${charset}\n\n${octets}`)
const meta = '<html><head><META http-equiv=Content-Type content="text/html; charset=koi8-r"><p>'

for (const [what, raw, text, htmlText] of [
  ['of a plain message', message('\nHello\n'), 'Hello\n', null],
  ['of an HTML message', message(`${html}\n\n<p>Hi`), null, '<p>Hi'],
  ['of two text parts', mixed(one, two), 'one\ntwo', null],
  ['of both alternatives', alternative(one, part(html, '<p>one')), 'one', '<p>one'],
  ['of several alternative parts', alternative(inner('multipart/x', one, two), part(html, '<p>')), 'one\ntwo', '<p>'],
  ['of both', mixed(part('', 'a < b'), part(html, '<p>c</p>d')), 'a < b\nc\n\nd', '<div>a &lt; b</div>\n<p>c</p>d'],
  ['of none but a file', mixed(part('Content-Type: a/b', 'x')), null, null],
  ['of a text that is marked as a file', message('Content-Disposition: attachment\n\nx'), null, null],
  ['of text of another kind', message('Content-Type: text/markdown\n\n# x'), '# x', null],
  ['of a body with a name', alternative(part(named, 'one'), part(`${html}; name=a.html`, '<p>')), 'one', '<p>'],
  ['without a named text after it', mixed(one, part(named, 'two')), 'one', null],
  [
    'of a related that names its text as a file to be shown',
    parts('multipart/related', part(`${html}\n${shown}`, '<p>'), part(picture, 'x')),
    null,
    '<p>',
  ],
  [
    'of a related whose named text is not its first part',
    parts(
      'multipart/related; start="<root@x>"',
      ...[part(picture, 'x'), part(named, 'file'), part(`${html}\nContent-ID: <root@x>\n${shown}`, '<p>')],
    ),
    null,
    '<p>',
  ],
  ['of a mixed that names its text as a file to be shown', mixed(part(shown, 'one'), two), 'one\ntwo', null],
  ['of a named text that alone can be shown', mixed(part(picture, 'x'), part(shown, 'one')), 'one', null],
  ['without a text neither first nor alone', mixed(part(picture, 'x'), part(shown, 'one'), two), 'two', null],
  ['without controls', message('\na\0b\x07c\x1b[0m\td\x0be\n'), 'abc[0m\tde\n', null],
  ['with every line break as LF', Buffer.from('\n\na\r\nb\rc\n'), '\na\nb\nc\n', null],
  ['without an empty line before it', message('Subject: x\nHello\n'), 'Hello\n', null],
  ['without an empty line before it, in paragraphs', message('Subject: x\nHello\n\nmore\n'), 'Hello\n\nmore\n', null],
  ['behind a line of white space', message('Subject: x\n \nHello\n\nmore\n'), 'Hello\n\nmore\n', null],
  ['of parts right behind the header', delimited(one + part(html, '<p>2')), 'one\n2', '<div>one</div>\n<p>2'],
  ['of parts with words but no empty line before them', delimited(`In several parts.\n${one}`), 'one', null],
  [
    'of a part without an empty line in it',
    mixed('--b\nContent-Type: text/plain\nOne,\ntwo.\n', '--b\nThree.\n\nFour.\n'),
    'One,\ntwo.\nThree.\n\nFour.',
    null,
  ],
  ['of HTML in the charset of its <meta>', message(`${html}\n\n${meta}\xf0\xd2`), null, `${meta}Пр`],
  [
    'of HTML in the charset of its field, whatever its <meta> says',
    message(`${html}; charset=iso-8859-5\n\n<meta charset=koi8-r>\xbf\xe0`),
    null,
    '<meta charset=koi8-r>Пр',
  ],
  ['of HTML not in UTF-16', message(`${html}\n\n<meta charset=utf-16>\xc3\xbc`), null, '<meta charset=utf-16>ü'],
  ['in a charset that nobody knows', inCharset('x-nobody', 'Gr\xc3\xbc\xc3\x9fe'), 'Grüße', null],
] as const)
  test(`the content is read ${what}`, () => {
    const content = readContent(raw)
    assert.equal(content.text, text)
    assert.equal(content.html, htmlText)
  })

const shows = '<p><img alt=x src="cid:x@y">'
for (const [what, htmlText, header, inline, attaches] of [
  ['a picture that the HTML shows', shows, picture, true, false],
  ['one that is also marked so', shows, `${picture}\nContent-Disposition: inline; filename=x.png`, true, false],
  ['one of an escaped id', '<IMG SRC = cid:a%25b&amp;c>', 'Content-Type: image/gif\nContent-ID: <a%b&c>', true, false],
  ['one that is marked as a file', shows, `${picture}\nContent-Disposition: attachment`, false, true],
  ['one that only a comment names', '<!-- <img src="cid:x@y"> --><p>', picture, false, true],
  ['one that only the words name', '<p>cid:x@y', picture, false, true],
  ['one that a link names', '<a href="cid:x@y" title="<img src=cid:x@y>">x</a>', picture, false, true],
  ['one whose id only begins so', '<img src="cid:x@y.test">', picture, false, true],
  ['one that is marked to be shown, and is not', '<p>', `${picture}\nContent-Disposition: inline`, false, true],
  ['one without an id', shows, 'Content-Type: image/png\nContent-Disposition: inline', false, true],
  ['a file that the HTML names as a picture', shows, 'Content-Type: application/pdf\nContent-ID: <x@y>', false, true],
] as const)
  for (const type of ['multipart/related', 'multipart/mixed'])
    test(`in ${type}, ${what} belongs ${inline ? 'in' : 'beside'} the text`, () => {
      const raw = parts(type, part(html, htmlText), part(header, 'x'))
      assert.deepEqual([readContent(raw).attachments[0]?.inline, readMessage(raw).hasAttachment], [inline, attaches])
    })

for (const [what, raw, attaches] of [
  ['a text for AMP', alternative(one, part('Content-Type: text/x-amp-html', '<p>'), part(html, '<p>')), false],
  ['an invitation beside its text', alternative(one, part('Content-Type: text/calendar; method=REQUEST', 'B:')), true],
  [
    'a file in an alternative',
    alternative(one, inner('multipart/mixed', part(html, '<p>'), part('Content-Type: a/b', 'x'))),
    true,
  ],
] as const)
  test(`${what} ${attaches ? 'is' : 'is not'} an attachment in lists`, () =>
    assert.equal(readMessage(raw).hasAttachment, attaches))

test('an invitation alone is shown, and is a file too', () => {
  const raw = message('Content-Type: text/calendar; name=meet.ics\n\nBEGIN:VCALENDAR\n')
  const { text, attachments } = readContent(raw)
  assert.equal(text, 'BEGIN:VCALENDAR\n')
  assert.deepEqual(each(attachments, 'id', 'filename', 'content_type'), [['1', 'meet.ics', 'text/calendar']])
  assert.equal(attachmentBytes(raw, '1')?.bytes.toString(), 'BEGIN:VCALENDAR\r\n')
})

test('an attachment is found by its id alone', () => {
  const raw = mixed(part('', 'text'), inner('multipart/x', part('Content-Type: a/b; name=c', 'bytes')))
  assert.deepEqual(readContent(raw).attachments, [
    { id: '2.1', filename: 'c', content_type: 'a/b', size_bytes: 5, inline: false, contentId: null },
  ])
  assert.deepEqual(attachmentBytes(raw, '2.1'), { bytes: Buffer.from('bytes'), filename: 'c', contentType: 'a/b' })
  for (const id of ['1', '2', '2.2', '3', '', '2.1.1', '02.1', '__proto__'])
    assert.equal(attachmentBytes(raw, id), undefined)
})

/** A message as a tree, so that what should be read is known beforehand. */
type Tree =
  | { kind: 'text' | 'html'; words: string; encoding: Encoding }
  | { kind: 'file'; bytes: Buffer; name: string }
  | { kind: 'parts'; type: string; trees: Tree[] }
type Encoding = '8bit' | 'base64' | 'quoted-printable'

const unit = fc.constantFrom('a', 'b', ' ', '\n', '=', '-', '--', '<', 'ü', '漢', '👋')
const words = fc.string({ unit, minLength: 1, maxLength: 100 })
const encoding = fc.constantFrom<Encoding>('8bit', 'base64', 'quoted-printable')
const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((octets) => Buffer.from(octets))
const name = fc.string({ unit: fc.constantFrom('a', 'ü', ' ', '"', '漢', ';'), minLength: 1, maxLength: 80 })
const leaf = fc.oneof(
  fc.record({ kind: fc.constantFrom('text' as const, 'html' as const), words, encoding }),
  fc.record({ kind: fc.constant('file' as const), bytes, name: name.map((text) => `x${text}x`) }),
)
const { tree } = fc.letrec<{ tree: Tree }>((again) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.record({
      kind: fc.constant('parts' as const),
      type: fc.constantFrom('mixed', 'related', 'signed', 'x-unknown'),
      trees: fc.array(again('tree'), { minLength: 1, maxLength: 4 }),
    }),
  ),
}))

let boundaries = 0
function write(node: Tree): string {
  if (node.kind === 'parts') {
    const boundary = `=_${boundaries++}`
    const inside = node.trees.map((child) => `--${boundary}\r\n${write(child)}\r\n`).join('')
    return `Content-Type: multipart/${node.type};\r\n boundary="${boundary}"\r\n\r\n${inside}--${boundary}--\r\n`
  }
  if (node.kind === 'file') {
    const name = encodeURIComponent(node.name).match(/(?:%..|.){1,10}/g) ?? []
    const segments = name.map((segment, place) => `; filename*${place}*=${place === 0 ? "utf-8''" : ''}${segment}`)
    return `Content-Disposition: attachment${segments.join('\r\n ')}\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n${wrap(node.bytes.toString('base64'))}`
  }
  const type = `Content-Type: text/${node.kind === 'html' ? 'html' : 'plain'}; charset=utf-8\r\n`
  return `${type}Content-Transfer-Encoding: ${node.encoding}\r\n\r\n${encode(node.words, node.encoding)}`
}

function encode(text: string, how: Encoding): string {
  const crlf = text.replaceAll('\n', '\r\n')
  if (how === 'base64') return wrap(Buffer.from(crlf).toString('base64'))
  if (how === '8bit') return crlf
  return [...Buffer.from(crlf)]
    .map((byte) => (byte === 13 || byte === 10 ? String.fromCharCode(byte) : hex(byte)))
    .join('')
}
const hex = (byte: number) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
const wrap = (text: string) => text.replace(/.{1,76}/g, '$&\r\n')

function* leavesOf(node: Tree): Generator<Exclude<Tree, { kind: 'parts' }>> {
  if (node.kind === 'parts') for (const child of node.trees) yield* leavesOf(child)
  else yield node
}

test('what is put into a message is read from it, and postal-mime reads the same', async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (root) => {
      const raw = Buffer.from(`MIME-Version: 1.0\r\n${write(root)}`)
      const content = readContent(raw)
      const all = [...leavesOf(root)]
      const files = all.filter((node) => node.kind === 'file')
      const said = (kind: string) =>
        all.filter((node) => node.kind === kind).map((node) => ('words' in node ? node.words : ''))

      const read = content.attachments.map(({ id }) => attachmentBytes(raw, id))
      const found = read.map((file) => [file?.filename, file?.bytes])
      const named = each(files, 'name', 'bytes')
      assert.deepEqual(found, named)
      assert.deepEqual(each(content.attachments, 'size_bytes'), each(each(files, 'bytes'), 'length'))
      // Where text and HTML are mixed each is also turned into the other, which has no one right way.
      if (said('html').length === 0 && said('text').length > 0) assert.equal(content.text, said('text').join('\n'))
      if (said('text').length === 0 && said('html').length > 0) assert.equal(content.html, said('html').join('\n'))

      const theirs = await PostalMime.parse(raw)
      assert.deepEqual(
        theirs.attachments.map(({ filename, content }) => [filename, Buffer.from(content as ArrayBuffer)]),
        named,
      )
      if (said('html').length === 0) assert.equal(folded(content.text), folded(theirs.text))
      if (said('text').length === 0) assert.equal(folded(content.html), folded(theirs.html))
    }),
    { numRuns: 300 },
  )
})

/** postal-mime keeps the line break before a boundary as the part's. */
function folded(text: string | null | undefined): string {
  return (text ?? '').replace(/[\r\n]+/g, '\n').trim()
}
