import { canonicalAddress } from '#/formats/mime/address/address.ts'
import { readAuthors } from '#/formats/mime/address/authors.ts'
import { arrivalResults } from '#/formats/mime/authentication/arrival-results.ts'
import { readContent } from '#/formats/mime/body/content.ts'
import { htmlToText } from '#/formats/mime/body/html-text.ts'
import { namesAddress } from '#/formats/mime/body/names-address.ts'
import { newHtml } from '#/formats/mime/body/quoted/new-html.ts'
import { newText } from '#/formats/mime/body/quoted/new-text.ts'
import { readSearchable } from '#/formats/mime/body/searchable.ts'
import { sendableIds } from '#/formats/mime/header/references.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import { isNonDeliveryReport } from '#/formats/mime/report/report.ts'
import { connectingIds, undelivered } from '#/formats/mime/report/returned.ts'
import { whyUnanswerable } from '#/formats/mime/report/unanswerable.ts'
import { Bad, No } from '#/imap/answers.ts'
import { matcherOf } from '#/imap/folders/pattern.ts'
import { astring, flagList, mailboxName, statusLine } from '#/imap/wire/format.ts'
import { announcedAt } from '#/imap/wire/literal.ts'
import { Parser } from '#/imap/wire/parser.ts'
import { Snippets } from '#/mail/search/snippet.ts'
import { wordsOf } from '#/mail/search-index/words.ts'
import { quote } from '#/out/replies/quote.ts'
import { quotedHtml } from '#/out/replies/quoted-html.ts'
import { answerSubject } from '#/out/replies/subject.ts'
import { fold } from '#/rules/filters/filter-input.ts'
import { htmlParts } from '../../web/src/pages/mail/html/html-parts.ts'
import { liftedPieces } from '../../web/src/pages/mail/html/lift-styles.ts'
import { partsOf, pieces, portionsOf } from '../../web/src/pages/mail/message/quotes.ts'

/** All that is done with a message on arrival, when it is read, and when it is searched. */
function read(message: string): void {
  const raw = Buffer.from(message)
  const read = readMessage(raw)
  readAuthors(read.headers)
  isNonDeliveryReport(read)
  undelivered(raw, read.headers)
  connectingIds(raw, read.headers)
  whyUnanswerable(read.headers)
  arrivalResults(raw)
  readContent(raw)
  readSearchable(raw)
}

/** What a mail program says: one argument after the other, until one cannot be read. */
function readCommand(text: string): void {
  announcedAt(`${text} {5}`)
  const octets = Buffer.from(text.replaceAll('\0', ' ')).toString('latin1')
  for (const read of ['mailbox', 'astring', 'sequenceSet', 'flag', 'dateTime'] as const) {
    for (const written of [octets, `"${octets}"`])
      unlessRefused(new Parser({ text: written, literals: [] }, false), read)
  }
}

function unlessRefused(args: Parser, read: 'mailbox' | 'astring' | 'sequenceSet' | 'flag' | 'dateTime'): void {
  try {
    for (; !args.isAtEnd(); args.take(' ')) args[read]()
  } catch (error) {
    if (!(error instanceof Bad || error instanceof No)) throw error
  }
}

/** Texts of others, and what is done with them on the path of a request, a message or a page. */
export const works: Readonly<Record<string, (text: string) => unknown>> = {
  ...Object.fromEntries(
    [
      ...['From', 'Subject', 'To', 'References', 'Message-ID', 'In-Reply-To', 'Content-Type', 'Content-Disposition'],
      'Date',
      ...['Content-Transfer-Encoding', 'Content-ID', 'Received', 'Authentication-Results', 'List-Unsubscribe'],
      'Auto-Submitted',
    ].map((name) => [`the field ${name}`, (text: string) => read(`${name}: ${text}\r\n\r\nHello\r\n`)] as const),
  ),
  'a header': (text) => read(`${text}\r\n\r\nHello\r\n`),
  'a body of text': (text) => read(`Content-Type: text/plain; charset=utf-8\r\n\r\n${text}`),
  'a flowed body': (text) => read(`Content-Type: text/plain; charset=utf-8; format=flowed\r\n\r\n${text}`),
  'a body of HTML': (text) => read(`Content-Type: text/html; charset=utf-8\r\n\r\n${text}`),
  'a quoted-printable body': (text) => read(`Content-Transfer-Encoding: quoted-printable\r\n\r\n${text}`),
  'the parts of a multipart': (text) => read(`Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${text}`),
  'a notice': (text) =>
    read(`From: MAILER-DAEMON@a.example\r\nSubject: Undelivered\r\nAuto-Submitted: auto-replied\r\n\r\n${text}`),
  'a delivery report': (text) =>
    read(
      `Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n${text}`,
    ),
  'a command of a mail program': readCommand,
  'what a mail program is told': (text) => [
    ...[astring(text), mailboxName(text, false), mailboxName(text, true), flagList([text])],
    statusLine('a', 'NO', text),
  ],
  'new text': newText,
  'new HTML': newHtml,
  'HTML as text': (html) => htmlToText(html),
  'the words of a text': (text) => [...wordsOf(text)],
  'a folded text': fold,
  'an address': canonicalAddress,
  'ids to be sent': sendableIds,
  'a subject': (text) => answerSubject(text, 'reply'),
  'a quotation': (text) => {
    const quoted = {
      messageId: null,
      references: [],
      inReplyTo: [],
      subject: text,
      from: [{ name: text, address: text }],
      to: [],
      cc: [],
      replyTo: [],
      date: null,
      text,
    }
    quote(quoted, 'reply')
    quote(quoted, 'forward')
    quotedHtml(quoted)
  },
  'a snippet': (text) => {
    const none = { subject: [], from: [], to: [], cc: [], filename: [] }
    // A query that is as much longer as the text is.
    const words = text.slice(0, text.length / 16)
    for (const phrase of [words, `${words} xyz`, `xyz ${words}`]) {
      const tree = { kind: 'text', field: 'any', text: phrase } as const
      new Snippets({ kind: 'either', of: [tree, { ...tree, text: 'nowhere' }] }).matchIn({ ...none, text: [text] })
    }
  },
  'a pattern of folders': (text) => {
    for (const pattern of [text, `*${text}%`, text.replaceAll(/./gs, '$&*')]) matcherOf(pattern)(text.slice(0, 255))
  },
  'the address of a picture': (text) => {
    const half = text.slice(0, text.length / 4)
    namesAddress(text, `${half}b${half}`)
    namesAddress(text, `${half}${half}b`)
  },
  'the text of a message in the page': (text) => {
    for (const portion of portionsOf(partsOf(text))) for (const part of portion) pieces(part.text)
  },
  'the HTML of a message in the page': (html) => {
    const lifted = liftedPieces(html)
    htmlParts(lifted.pieces)
  },
}
