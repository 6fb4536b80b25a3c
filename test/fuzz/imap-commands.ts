import fc from 'fast-check'
import { fuzzedMessages, type Octets } from './mail-messages.ts'

/** What a client sends behind a tag, with the line end, and what it may be answered. */
export interface SentCommand {
  readonly octets: Octets
  /** No server may take it. */
  readonly isWrong?: boolean
}

/** One of the texts between the bars. */
const either = (...texts: readonly string[]) => fc.constantFrom(...texts.flatMap((text) => text.split('|')))

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

const steps = either('A|b|C|inbox|&AOk-|&AOk|&-|.|..|%|*| |~|\xc3\xa9|e\xcc\x81|', 'x'.repeat(300))
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
  either("words|a|letter|frequent words|<a@x>|\xc3\xa4|\xff|%|'|\\|e\xcc\x81|", 'x'.repeat(9_000)),
  fc.string({ unit: octet, maxLength: 12 }),
)
const flag = either(
  '\\Seen|\\Flagged|\\Deleted|\\Draft|\\Answered|\\Recent|$Forwarded|work|$label1|\\Bogus|\\*',
  'x'.repeat(60),
)
const flags = fc.array(flag, { maxLength: 4 }).map((all) => `(${all.join(' ')})`)
const date = fc.constantFrom('1-Feb-2020', '"31-Dec-1969"', '30-Feb-2020', '1-Jan-0001', '1-Jan-9999', 'x')
const path = fc.constantFrom('', '1', '1.1', '2', '1.2.3', '99', '0')
const what = either('HEADER|TEXT|MIME|HEADER.FIELDS (From X)|HEADER.FIELDS.NOT (To)|HEADER.FIELDS ()|')
const part = fc.constantFrom('', '<0.10>', '<5.100000>', '<4294967295.1>', '<0.0>')
const item = fc.oneof(
  either('FLAGS|UID|MODSEQ|ENVELOPE|BODY|BODYSTRUCTURE|INTERNALDATE|RFC822.SIZE|RFC822|RFC822.TEXT', 'RFC822.HEADER'),
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
    either('ALL|SEEN|UNSEEN|NEW|OLD|RECENT|DELETED|DRAFT|SAVEDATESUPPORTED|X|()'),
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
const options = either(
  'RETURN () |RETURN (ALL) |RETURN (SAVE) |RETURN (MIN MAX COUNT) |RETURN (PARTIAL 1:2) |CHARSET UTF-8 ',
  'CHARSET X ||',
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
const notified = either(
  'NONE',
  'SET (selected (MessageNew (UID FLAGS BODY.PEEK[]) MessageExpunge FlagChange)) (personal (MessageNew MessageExpunge MailboxName SubscriptionChange))',
  'SET STATUS (subtree Plans (MessageNew MessageExpunge FlagChange)) (mailboxes INBOX NONE)',
  'SET (x (MessageNew))|SET',
)

const say = (name: string, ...rest: fc.Arbitrary<unknown>[]) => fc.tuple(...rest).map((all) => [name, ...all].join(' '))
const uid = (one: fc.Arbitrary<string>) => fc.tuple(fc.constantFrom('', '', 'UID '), one).map((all) => all.join(''))

const often = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary })
const opening = fc.oneof(
  often(4, fc.constant('')),
  modseq.map((value) => ` (QRESYNC (7 ${value} 1:4 (1:2 1:2)))`),
  fc.constant(' (CONDSTORE)'),
)
const threaded = say('THREAD', either('REFERENCES|REFS|ORDEREDSUBJECT|X'), fc.constant('UTF-8'), program)

const commands = fc.oneof(
  often(
    6,
    fc.tuple(either('SELECT|EXAMINE'), folder, opening).map(([name, at, how]) => `${name} ${at}${how}`),
  ),
  often(12, either('SELECT INBOX|SELECT INBOX|SELECT Archive|SELECT Plans|EXAMINE Sent')),
  often(10, uid(fetch.map(([those, items, how]) => `FETCH ${those} ${items}${how}`))),
  often(8, uid(fc.tuple(options, program).map(([how, keyed]) => `SEARCH ${how}${keyed}`))),
  often(2, uid(fc.tuple(criteria, program).map(([by, keyed]) => `SORT (${by.join(' ')}) UTF-8 ${keyed}`))),
  often(2, uid(threaded)),
  often(8, uid(stored.map(([those, how, name, marks]) => `STORE ${those} ${how}${name} ${marks}`))),
  often(4, uid(say('COPY', set, folder))),
  often(4, uid(say('MOVE', set, folder))),
  often(8, say('APPEND', folder, appended)),
  often(1, say('APPEND', folder, appended, appended)),
  often(1, uid(say('REPLACE', number, folder, appended))),
  often(3, either('EXPUNGE|UID EXPUNGE 1:3|UID EXPUNGE $|CLOSE|UNSELECT|CHECK|NOOP')),
  often(3, say('CREATE', folder)),
  often(2, say('DELETE', folder)),
  often(3, say('RENAME', folder, folder)),
  often(
    2,
    fc.tuple(either('SUBSCRIBE|UNSUBSCRIBE|MYRIGHTS|GETACL|GETQUOTAROOT'), folder).map((all) => all.join(' ')),
  ),
  often(
    3,
    listed.map(([how, at, pattern, rest]) => `LIST ${how}${at} ${pattern}${rest}`),
  ),
  often(1, say('LSUB', fc.constant('""'), folder)),
  often(2, say('STATUS', folder, either('(MESSAGES UIDNEXT UNSEEN SIZE DELETED HIGHESTMODSEQ MAILBOXID)|()|(X)'))),
  often(1, either('IDLE\r\nDONE|IDLE\r\nWHAT|NAMESPACE|CAPABILITY|ID NIL|ID ("name" "x")')),
  often(1, either('GETQUOTA ""|SETACL INBOX x lr')),
  often(1, either('ENABLE QRESYNC|ENABLE IMAP4rev2|ENABLE UTF8=ACCEPT X|ENABLE CONDSTORE')),
  often(
    1,
    notified.map((wanted) => `NOTIFY ${wanted}`),
  ),
)

const wrong = either(
  'FETCH|FETCH 1|FETCH 1 FLAGS)|FETCH 1 (FLAGS|FETCH 0 FLAGS|FETCH 1 BODY[|STORE 1 FLAGS',
  'STORE 1 +FLAGS (\\Bogus)|SEARCH|SEARCH NOT|SEARCH OR SEEN|SEARCH (SEEN|SEARCH SENTON x|UID|UID NOOP',
  'LOGIN a b|STARTTLS|AUTHENTICATE PLAIN|SELECT|SELECT a b|SELECT "a|SELECT Nowhere|LIST|LIST ""',
  'STATUS INBOX|CREATE INBOX|DELETE INBOX|RENAME Nowhere X|APPEND INBOX|APPEND INBOX {0+}\r\n',
  'APPEND Nowhere {1+}\r\nx|COPY 1|COPY 1 Nowhere|NOOP x|ENABLE|IDLE x|XYZZY|(|\x00|\xff',
)

export const sound: fc.Arbitrary<SentCommand> = fc.oneof(
  { weight: 12, arbitrary: commands.map((octets) => ({ octets: `${octets}\r\n` })) },
  { weight: 1, arbitrary: wrong.map((octets) => ({ octets: `${octets}\r\n`, isWrong: true })) },
)

const bits = either(
  '\r\n|\n|\r|\0| |(|)|"|\\|{|}|{3}\r\n|{3+}\r\n|{99+}\r\n|~|*|$|<|[|]|\xff|,|:|1|UID |LOGOUT\r\n',
  'COMPRESS DEFLATE\r\n|',
)

/** Several commands after accidents with their octets. A literal has at most five digits, or it would swallow all that follows. */
export function damaged(commands: string): fc.Arbitrary<Octets> {
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.nat(6),
    put: fc.oneof(bits, octet),
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
