import fc from 'fast-check'
import { fuzzedMessages, type Octets } from './mail-messages.ts'

/** What a client sends behind a tag, with the line end, and what it may be answered. */
export interface SentCommand {
  readonly octets: Octets
  /** No server may take it. */
  readonly isWrong?: boolean
}

const octet = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code))
const number = fc.oneof(
  fc.integer({ min: 1, max: 12 }).map(String),
  fc.constantFrom('*', '0', '4294967295', '99999999999'),
)
const range = fc.oneof(
  { weight: 3, arbitrary: number },
  fc.tuple(number, number).map((ends) => ends.join(':')),
)
const set = fc.oneof(
  { weight: 10, arbitrary: fc.array(range, { minLength: 1, maxLength: 3 }).map((all) => all.join()) },
  fc.constantFrom('$', '1:*', '1:4294967295', ',', Array(2_000).fill('1:*').join(), Array(500).fill('7,3').join()),
)

/** As a literal that does not wait, or quoted. */
function string(text: string, how: number): string {
  if (how === 0) return `{${text.length}+}\r\n${text}`
  return `"${text.replace(/["\\]/g, '\\$&').replace(/[\r\n\0]/g, ' ')}"`
}
const strings = (texts: fc.Arbitrary<string>) => fc.tuple(texts, fc.nat(2)).map(([text, how]) => string(text, how))

const steps = fc.constantFrom(
  'A',
  'b',
  'C',
  'inbox',
  '&AOk-',
  '&AOk',
  '&-',
  '.',
  '..',
  '%',
  '*',
  'x'.repeat(300),
  '',
  ' ',
  '~',
  '\xc3\xa9',
  'e\xcc\x81',
)
const folder = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom('INBOX', 'iNbOx', 'Sent', 'Archive', 'Trash', 'Drafts', 'Plans', 'Plans/A', 'Later'),
  },
  strings(fc.array(steps, { maxLength: 4 }).map((all) => all.join('/'))),
  strings(fc.string({ unit: octet, maxLength: 20 })),
  fc.constantFrom('Shared', 'Shared/', 'Shared/bob@other.test/INBOX', '"Shared/%"'),
)
const word = fc.oneof(
  fc.constantFrom(
    'words',
    'a',
    '',
    'letter',
    'frequent words',
    '<a@x>',
    '\xc3\xa4',
    '\xff',
    '%',
    "'",
    '\\',
    'e\xcc\x81',
    'x'.repeat(9_000),
  ),
  fc.string({ unit: octet, maxLength: 12 }),
)
const flag = fc.constantFrom(
  '\\Seen',
  '\\Flagged',
  '\\Deleted',
  '\\Draft',
  '\\Answered',
  '\\Recent',
  '$Forwarded',
  'work',
  '$label1',
  'x'.repeat(60),
  '\\Bogus',
  '\\*',
)
const flags = fc.array(flag, { maxLength: 4 }).map((all) => `(${all.join(' ')})`)
const date = fc.constantFrom('1-Feb-2020', '"31-Dec-1969"', '30-Feb-2020', '1-Jan-0001', '1-Jan-9999', 'x')
const path = fc.constantFrom('', '1', '1.1', '2', '1.2.3', '99', '0')
const what = fc.constantFrom(
  '',
  'HEADER',
  'TEXT',
  'MIME',
  'HEADER.FIELDS (From X)',
  'HEADER.FIELDS.NOT (To)',
  'HEADER.FIELDS ()',
)
const part = fc.constantFrom('', '<0.10>', '<5.100000>', '<4294967295.1>', '<0.0>')
const item = fc.oneof(
  fc.constantFrom(
    'FLAGS',
    'UID',
    'MODSEQ',
    'ENVELOPE',
    'BODY',
    'BODYSTRUCTURE',
    'INTERNALDATE',
    'RFC822.SIZE',
    'RFC822',
    'RFC822.TEXT',
    'RFC822.HEADER',
  ),
  fc.constantFrom('PREVIEW', 'PREVIEW (LAZY)', 'EMAILID', 'THREADID', 'SAVEDATE', 'ALL', 'FULL', 'FAST', 'X'),
  fc
    .tuple(fc.constantFrom('BODY', 'BODY.PEEK'), path, what, part)
    .map(([name, at, of, some]) => `${name}[${[at, of].filter(Boolean).join('.')}]${some}`),
  fc
    .tuple(fc.constantFrom('BINARY', 'BINARY.PEEK', 'BINARY.SIZE'), path, part)
    .map(([name, at, some]) => `${name}[${at}]${some}`),
)
const modseq = fc.constantFrom('1', '5', '0', '9223372036854775807', '9223372036854775808')
const modifiers = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  modseq.map((value) => ` (CHANGEDSINCE ${value} VANISHED)`),
  fc.constantFrom(' (PARTIAL 1:3)', ' (PARTIAL -1:-3)', ' (PARTIAL 0:1)', ' (X)'),
)
const fetch = fc.tuple(
  set,
  fc.oneof(
    item,
    fc.array(item, { maxLength: 5 }).map((all) => `(${all.join(' ')})`),
  ),
  modifiers,
)

const keys = fc.letrec<{ key: string; leaf: string }>((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom(
      'ALL',
      'SEEN',
      'UNSEEN',
      'NEW',
      'OLD',
      'RECENT',
      'DELETED',
      'DRAFT',
      'SAVEDATESUPPORTED',
      'X',
      '()',
    ),
    set,
    set.map((numbers) => `UID ${numbers}`),
    fc
      .tuple(fc.constantFrom('TEXT', 'BODY', 'SUBJECT', 'FROM', 'TO', 'CC', 'BCC'), strings(word))
      .map((all) => all.join(' ')),
    fc.tuple(strings(word), strings(word)).map((all) => `HEADER ${all.join(' ')}`),
    fc
      .tuple(fc.constantFrom('SENTON', 'SENTSINCE', 'SENTBEFORE', 'ON', 'SINCE', 'BEFORE', 'SAVEDON'), date)
      .map((all) => all.join(' ')),
    fc.tuple(fc.constantFrom('LARGER', 'SMALLER', 'OLDER', 'YOUNGER', 'MODSEQ'), modseq).map((all) => all.join(' ')),
    fc.tuple(fc.constantFrom('KEYWORD', 'UNKEYWORD'), flag).map((all) => all.join(' ')),
    fc.constantFrom(
      'EMAILID m1',
      'THREADID x',
      'MODSEQ "/flags/\\\\Seen" all 3',
      `${'('.repeat(150)}SEEN${')'.repeat(150)}`,
      'NOT '.repeat(150),
    ),
  ),
  key: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'keys' },
    tie('leaf'),
    tie('key').map((of) => `NOT ${of}`),
    fc.tuple(tie('key'), tie('key')).map(([one, other]) => `OR ${one} ${other}`),
    fc.array(tie('key'), { minLength: 1, maxLength: 3 }).map((all) => `(${all.join(' ')})`),
  ),
})).key
const program = fc.array(keys, { minLength: 1, maxLength: 3 }).map((all) => all.join(' '))
const options = fc.constantFrom(
  '',
  '',
  'RETURN () ',
  'RETURN (ALL) ',
  'RETURN (SAVE) ',
  'RETURN (MIN MAX COUNT) ',
  'RETURN (PARTIAL 1:2) ',
  'CHARSET UTF-8 ',
  'CHARSET X ',
)
const criteria = fc.array(
  fc.constantFrom('ARRIVAL', 'CC', 'DATE', 'DISPLAYFROM', 'DISPLAYTO', 'FROM', 'REVERSE', 'SIZE', 'SUBJECT', 'TO', 'X'),
  { maxLength: 4 },
)

const messageOctets = fc.tuple(fuzzedMessages, fc.constantFrom('', '~')).map(([message, mark]) => {
  const octets = message.slice(0, 20_000)
  return `${mark}{${octets.length}+}\r\n${octets}`
})
const given = fc.tuple(
  fc.oneof(
    fc.constant(''),
    flags.map((all) => `${all} `),
  ),
  fc.constantFrom('', '"17-Jul-1996 02:44:25 -0700" ', '"32-Jul-1996 02:44:25 -0700" '),
  messageOctets,
)
const appended = given.map((all) => all.join(''))
const stored = fc.tuple(
  set,
  fc.constantFrom('', '', '(UNCHANGEDSINCE 1) ', '(UNCHANGEDSINCE 99999) '),
  fc.constantFrom('FLAGS', '+FLAGS', '-FLAGS', '+FLAGS.SILENT', 'X'),
  flags,
)
const listed = fc.tuple(
  fc.constantFrom('', '(SUBSCRIBED) ', '(SPECIAL-USE RECURSIVEMATCH) ', '(REMOTE X) '),
  fc.oneof(fc.constant('""'), folder),
  folder,
  fc.constantFrom('', ' RETURN (CHILDREN SUBSCRIBED)', ' RETURN (STATUS (MESSAGES SIZE))', ' RETURN (MYRIGHTS X)'),
)
const notified = fc.constantFrom(
  'NONE',
  'SET (selected (MessageNew (UID FLAGS BODY.PEEK[]) MessageExpunge FlagChange)) (personal (MessageNew MessageExpunge MailboxName SubscriptionChange))',
  'SET STATUS (subtree Plans (MessageNew MessageExpunge FlagChange)) (mailboxes INBOX NONE)',
  'SET (x (MessageNew))',
  'SET',
)

const say = (name: string, ...rest: fc.Arbitrary<unknown>[]) => fc.tuple(...rest).map((all) => [name, ...all].join(' '))
const uid = (one: fc.Arbitrary<string>) => fc.tuple(fc.constantFrom('', '', 'UID '), one).map((all) => all.join(''))

const commands = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.constantFrom('SELECT', 'EXAMINE'),
        folder,
        fc.oneof(
          { weight: 4, arbitrary: fc.constant('') },
          modseq.map((value) => ` (QRESYNC (7 ${value} 1:4 (1:2 1:2)))`),
          fc.constant(' (CONDSTORE)'),
        ),
      )
      .map(([name, at, how]) => `${name} ${at}${how}`),
  },
  {
    weight: 12,
    arbitrary: fc.constantFrom('SELECT INBOX', 'SELECT INBOX', 'SELECT Archive', 'SELECT Plans', 'EXAMINE Sent'),
  },
  { weight: 10, arbitrary: uid(fetch.map(([those, items, how]) => `FETCH ${those} ${items}${how}`)) },
  { weight: 8, arbitrary: uid(fc.tuple(options, program).map(([how, keyed]) => `SEARCH ${how}${keyed}`)) },
  {
    weight: 2,
    arbitrary: uid(fc.tuple(criteria, program).map(([by, keyed]) => `SORT (${by.join(' ')}) UTF-8 ${keyed}`)),
  },
  {
    weight: 2,
    arbitrary: uid(
      fc
        .tuple(fc.constantFrom('REFERENCES', 'REFS', 'ORDEREDSUBJECT', 'X'), program)
        .map(([by, keyed]) => `THREAD ${by} UTF-8 ${keyed}`),
    ),
  },
  { weight: 8, arbitrary: uid(stored.map(([those, how, name, marks]) => `STORE ${those} ${how}${name} ${marks}`)) },
  { weight: 4, arbitrary: uid(say('COPY', set, folder)) },
  { weight: 4, arbitrary: uid(say('MOVE', set, folder)) },
  { weight: 8, arbitrary: say('APPEND', folder, appended) },
  { weight: 1, arbitrary: say('APPEND', folder, appended, appended) },
  { weight: 1, arbitrary: uid(say('REPLACE', number, folder, appended)) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('EXPUNGE', 'UID EXPUNGE 1:3', 'UID EXPUNGE $', 'CLOSE', 'UNSELECT', 'CHECK', 'NOOP'),
  },
  { weight: 3, arbitrary: say('CREATE', folder) },
  { weight: 2, arbitrary: say('DELETE', folder) },
  { weight: 3, arbitrary: say('RENAME', folder, folder) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('SUBSCRIBE', 'UNSUBSCRIBE', 'MYRIGHTS', 'GETACL', 'GETQUOTAROOT'), folder)
      .map((all) => all.join(' ')),
  },
  { weight: 3, arbitrary: listed.map(([how, at, pattern, rest]) => `LIST ${how}${at} ${pattern}${rest}`) },
  { weight: 1, arbitrary: say('LSUB', fc.constant('""'), folder) },
  {
    weight: 2,
    arbitrary: say(
      'STATUS',
      folder,
      fc.constantFrom('(MESSAGES UIDNEXT UNSEEN SIZE DELETED HIGHESTMODSEQ MAILBOXID)', '()', '(X)'),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'IDLE\r\nDONE',
      'IDLE\r\nWHAT',
      'NAMESPACE',
      'CAPABILITY',
      'ID NIL',
      'ID ("name" "x")',
      'GETQUOTA ""',
      'SETACL INBOX x lr',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('ENABLE QRESYNC', 'ENABLE IMAP4rev2', 'ENABLE UTF8=ACCEPT X', 'ENABLE CONDSTORE'),
  },
  { weight: 1, arbitrary: notified.map((wanted) => `NOTIFY ${wanted}`) },
)

const wrong = fc.constantFrom(
  ...[
    'FETCH',
    'FETCH 1',
    'FETCH 1 FLAGS)',
    'FETCH 1 (FLAGS',
    'FETCH 0 FLAGS',
    'FETCH 1 BODY[',
    'STORE 1 FLAGS',
    'STORE 1 +FLAGS (\\Bogus)',
  ],
  ...[
    'SEARCH',
    'SEARCH NOT',
    'SEARCH OR SEEN',
    'SEARCH (SEEN',
    'SEARCH SENTON x',
    'UID',
    'UID NOOP',
    'LOGIN a b',
    'STARTTLS',
    'AUTHENTICATE PLAIN',
  ],
  ...[
    'SELECT',
    'SELECT a b',
    'SELECT "a',
    'SELECT Nowhere',
    'LIST',
    'LIST ""',
    'STATUS INBOX',
    'CREATE INBOX',
    'DELETE INBOX',
    'RENAME Nowhere X',
  ],
  ...[
    'APPEND INBOX',
    'APPEND INBOX {0+}\r\n',
    'APPEND Nowhere {1+}\r\nx',
    'COPY 1',
    'COPY 1 Nowhere',
    'NOOP x',
    'ENABLE',
    'IDLE x',
    'XYZZY',
    '(',
    '\x00',
    '\xff',
  ],
)

export const sound: fc.Arbitrary<SentCommand> = fc.oneof(
  { weight: 12, arbitrary: commands.map((octets) => ({ octets: `${octets}\r\n` })) },
  { weight: 1, arbitrary: wrong.map((octets) => ({ octets: `${octets}\r\n`, isWrong: true })) },
)

const bits = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '(',
  ')',
  '"',
  '\\',
  '{',
  '}',
  '{3}\r\n',
  '{3+}\r\n',
  '{99+}\r\n',
  '~',
  '*',
  '$',
  '<',
  '[',
  ']',
  '\xff',
  ',',
  ':',
  '1',
  'UID ',
  'LOGOUT\r\n',
  'COMPRESS DEFLATE\r\n',
]

/** Several commands after accidents with their octets. A literal has at most five digits, or it would swallow all that follows. */
export function damaged(commands: string): fc.Arbitrary<Octets> {
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.nat(6),
    put: fc.oneof(fc.constantFrom('', ...bits), octet),
  })
  return fc.array(change, { minLength: 1, maxLength: 5 }).map((changes) =>
    changes
      .reduce((text, { at, cut, put }) => {
        const place = Math.floor(at * text.length)
        return text.slice(0, place) + put + text.slice(place + cut)
      }, commands)
      .replace(/(\{\d{1,5})\d*(?=[+-]?\})/g, '$1'),
  )
}
