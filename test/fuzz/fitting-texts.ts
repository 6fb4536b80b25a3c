/** More often than all alternatives. */
const usually = (text: string) => Array<string>(8).fill(text)

const lengths = [64, 65, 1_000].map((length) => 'x'.repeat(length))

/** Some are refused: a public suffix, a name with a Kelvin sign for its k, no host names. */
const domains = [
  ...['shop.example', 'books.example', 'Books.Example.', 'bücher.example', 'xn--bcher-kva.example', 'a.b.c.d.example'],
  ...['co.uk', 'localhost', '127.0.0.1', '\u212aeys.example', 'a..b', '-a.example', 'x_y.example', 'example'],
]

const [minute, day] = [60_000, 86_400_000]

/** The time so many milliseconds from when the fuzzing starts. */
const ahead = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString()

/** Addresses as callers write them, most of them good. */
const addresses = [
  ...usually('{{address}}'),
  ...usually('bob@there.example'),
  ...['{{other address}}', 'Bob <bob@there.example>', '"Bob, the \\"b\\"" <bob@there.example>'],
  'Zoë <zoë@bücher.example>',
  ...['"a b"@there.example', '<bob@there.example>', 'MAILER-DAEMON@there.example', 'bob@xn--bcher-kva.example'],
  ...['bob@localhost', 'bob@[127.0.0.1]', 'Bob, <bob@there.example>', 'a@b.example, c@d.example'],
  `${'x'.repeat(65)}@a.example`,
  ...[
    'Bob\r\nBcc: eve@there.example <bob@there.example>',
    'bob@there.example\r\nDATA',
    '=?utf-8?Q?=0D=0A?= <bob@there.example>',
  ],
]

const messageIds = [
  ...usually('<20261121.1@there.example>'),
  ...['20261121.1@there.example', '<a@x> <b@x>', '<a b@x>', '<a@x>\r\n <b@x>', '<>', '<@>', `<${'x'.repeat(901)}@x>`],
]

/** Of Ada, in OpenPGP's ASCII armor. */
const publicKey = [
  ...['-----BEGIN PGP PUBLIC KEY BLOCK-----', '', 'mDMEawGy4RYJKwYBBAHaRw8BAQdAMNKBjiWTzMiiK5xvRqLpIm/mv6ILlZ4ERmv4'],
  'h5uvg3K0FUFkYSA8YWRhQHRyeW91dC50ZXN0PoiQBBMWCAA4FiEE+xkKWNjw2HEm',
  'nrxwV2RUdqB4nHcFAmsBsuECGwEFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQ',
  'V2RUdqB4nHfHOgEA6KRTnQXELmPKfRa6isY/5uRkCDapQeHqRwmyj0XVokYA/1Q8',
  'Lb/V+B0dmqtzZZDqJWHfGjM9DQzuKlAbtmqWSMQMuDgEawGy4RIKKwYBBAGXVQEF',
  'AQEHQJJznmRMzQimjKF5+m4ZmETmflIsmji4ikUhUDZNbTEaAwEIB4h4BBgWCAAg',
  'FiEE+xkKWNjw2HEmnrxwV2RUdqB4nHcFAmsBsuECGwwACgkQV2RUdqB4nHdQEwEA',
  ...['hdhfm8Kf6v5+A9l8DInyw729qtaTzMSwgi56OI5Ld0cBAJinThC66WSRGIIV/jeA', '5Ftej7Ny5CvqBULqBbAn3wMJ', '=pgB8'],
  ...['-----END PGP PUBLIC KEY BLOCK-----', ''],
].join('\n')

/** Texts that mean something under the name that they come with, that of a parameter or a property, or of the part of a
 *  path before an id. `{{label}}` is the id of a label that is there when the request is sent, `{{new}}`
 *  something else each time. */
export const fittingTexts: Readonly<Record<string, readonly string[]>> = {
  mailbox: [...usually('{{address}}'), '{{other address}}', 'nobody@tryout.test'],
  folder: [
    ...usually('inbox'),
    ...['Archive', 'spam', 'Projects/Apollo', 'projects/../x', 'INBOX/x', '/', 'x"\r\nA1 DELETE x'],
  ],
  folders: [...usually('Projects'), 'Projects/Apollo', 'inbox', 'Spam', 'Nowhere', 'a*', '..', '~a'],
  move_to: [...usually('archive'), 'Projects', 'Projects/Apollo', 'a*', ''],
  labels: [...usually('{{label}}'), '{{other label}}', '{{filter}}'],
  filters: [...usually('{{filter}}'), '{{other filter}}', '{{label}}'],
  'blocked-senders': [
    ...[...usually('{{blocked}}'), '{{other blocked}}', '@spam.example', 'a@spam.example', '@Spam.Example'],
  ],
  mailboxes: [
    ...usually('{{address}}'),
    ...['{{other address}}', 'nobody@tryout.test', 'a\0@tryout.test', '""@x.test', '@'],
  ],
  members: [...usually('{{grace}}'), '{{other grace}}', '{{label}}'],
  access: [...usually('{{grace}}'), '{{other grace}}'],
  'api-keys': [...usually('{{api key}}'), '{{other api key}}'],
  link: ['https://mail.example.com/sign-in#x', 'x'.repeat(43), '#', '{{owner}}'],
  email: [...usually('{{new}}@people.example'), '{{address}}', 'ada', 'a@b, c@d.example', 'ü@bücher.example'],
  code: ['123456', '12345', 'abcd-efgh', '１２３４５６'],
  messages: [...usually('{{message}}'), '1', '2', '999', '4294967296', '01', '1.0'],
  attachments: [...usually('{{attachment}}'), '1', '1.1', '9.9.9', '0'],
  scheduled: [...usually('{{scheduled}}'), '{{failed}}', '{{other scheduled}}', '{{other failed}}'],
  sent: [...usually('{{sent}}'), '{{other sent}}', '{{scheduled}}'],
  suppressions: [...usually('{{suppressed}}'), '{{other suppressed}}', 'nobody@there.example', '@'],
  search: ['there', '@', 'B%_'],
  recipient: addresses,
  since: [...usually(ahead(-day)), ahead(day), '0000-01-01T00:00:00Z', ahead(day).slice(0, 10), 'today'],
  send_at: [
    ...usually(ahead(60 * minute)),
    ...[ahead(-0.5 * minute), ahead(-30 * minute), ahead(31 * day), ahead(32 * day), ahead(day).replace('Z', '+14:00')],
    ...[ahead(day).replace(/\.\d+/, ''), ahead(day).toLowerCase(), ahead(day).replace('T', ' ')],
    ahead(day).slice(0, -1),
    ...['2026-11-21T08:00:00+01:00', '2026-02-30T08:00:00Z', '9999-12-31T23:59:59Z', '2026-11-21T23:59:60Z', '0'],
  ],
  forward_until: [ahead(day), ahead(-day), '9999-12-31T23:59:59.999Z', '0000-01-01T00:00:00Z', ahead(day).slice(0, 10)],
  reply_until: [ahead(day), ahead(-day), '9999-12-31T23:59:59.999Z', '0000-01-01T00:00:00Z', ahead(day).slice(0, 10)],
  forward_to: addresses,
  reply_subject: ['Away', 'Grüße', 'a\r\nBcc: eve@there.example', '=?utf-8?Q?=0D=0A?=', ...lengths],
  reply_body: [...usually('I am away.'), '', 'a\0b', '.\r\n.', 'x'.repeat(10_001)],
  reply_to: addresses,
  cc: addresses,
  bcc: addresses,
  in_reply_to: messageIds,
  references: messageIds,
  text: [...usually('Hello'), '', '.', '.\r\n.', 'a\rb', '\0', 'From x', 'x'.repeat(100_000)],
  html: [...usually('<p>Hello <img src="cid:logo">'), '', '<', '<base href="cid:logo"><img src="file:///etc/passwd">'],
  subject: [
    ...[...usually('Hello'), '', 'a\r\nBcc: eve@there.example', '=?utf-8?Q?=0D=0ABcc:_eve@x?=', 'x'.repeat(998)],
    'x'.repeat(999),
  ],
  filename: [...usually('a.txt'), '../../etc/passwd', 'a"b\\c.pdf', 'ü'.repeat(255), 'a\r\nb', '.', 'x'.repeat(256)],
  content: [...usually('SGk='), '', 'SGk', 'SG k=', '____', 'A'.repeat(400_000), '='],
  content_type: [
    ...usually('text/plain'),
    ...['message/rfc822', 'multipart/mixed', 'text/plain; charset=x', 'x/y', 'TEXT/HTML'],
  ],
  content_id: [...usually('logo'), 'a b', '<logo>', 'é', 'a@b', 'logo\r\n'],
  conversations: [...usually('{{conversation}}'), '{{other conversation}}', 'AAAAAAAAAAAAAAAA'],
  threads: [...usually('{{thread}}'), '{{other thread}}', 'AAAAAAAAAAAAAAAA'],
  q: [
    ...usually('hello'),
    ...['from:ann "a note" -is:read', '(hello OR subject:x) has:attachment', 'label:{{keyword}}'],
    'in:inbox newer_than:7d',
    ...['東京 -ไทย', 'before:2026-02-30', '(a', '"', 'a OR', 'form:x', '-', 'larger:99G', "'", "o'x \\ :* & | !", '🙂'],
  ],
  limit: [...usually('10'), '1', '25', '100', '0', '101'],
  page: [...usually('0'), '1', '1000000000', '1000000001'],
  after: [...usually('now'), '0'.repeat(28), 'f'.repeat(28), '00'],
  types: [...usually('message,label.created'), ...usually('message'), 'letters', ',', 'message,message'],
  url: [
    ...usually('https://receiver.example/{{new}}'),
    ...['http://receiver.example', 'https://127.0.0.1/', 'https://a@receiver.example', 'https://receiver.example:25'],
    'x',
  ],
  event: ['0'.repeat(28), 'f'.repeat(28), '00'],
  // Long waits would delay the other requests.
  wait: [...usually('0'), '51', '-1'],
  domains: [...usually('{{domain}}'), '{{other domain}}', '{{label}}'],
  domain: [...usually('{{mail domain}}'), ...usually('{{new}}.example'), '{{other mail domain}}', ...domains],
  domain_id: [...usually('{{mail domain id}}'), '{{domain}}', '{{other domain}}', '{{label}}'],
  local_part: [
    ...[...usually('{{new}}'), ...usually('{{new}}')],
    ...[...['ben', 'dee.d-e_e1', 'ada', 'postmaster', 'a..b', '.a', 'a-', 'a+b', 'A', '\u0430da'], ...lengths],
  ],
  kind: ['smart', 'smart', 'private', 'Smart'],
  public_key: [...usually(publicKey), publicKey.replace('\n\n', '\n'), publicKey.slice(0, 300), publicKey + publicKey],
  password: [...usually('correct horse battery'), 'short', 'pässwörd of some length', ...lengths, '{{key}}'],
  label: [...usually('{{keyword}}'), '{{other keyword}}', 'unknown'],
  add_labels: [...usually('{{keyword}}'), '{{other keyword}}'],
  remove_labels: [...usually('{{keyword}}'), 'unknown'],
  argument: ['{{keyword}}', '{{label}}', 'archive', 'Projects/Apollo', '{{other label}}'],
  pattern: ['@spam.example', 'a@spam.example', '@EXAMPLE.com', 'a@b@c.example', '@', 'ü@ü.example', 'x.example'],
  name: ['Work', 'work', 'Ｗｏｒｋ', 'Über', 'a', '{{keyword}}'],
  colour: ['red', 'slate', '#A0b1C2', '#12345', 'Red'],
  raw: ['From: a@b.example\r\nSubject: x\r\n\r\nHello', 'From: ', '\r\n', 'Subject: =?utf-8?B?////?=\r\n'],
  from: [
    ...usually('{{address}}'),
    ...usually('Ada <{{address}}>'),
    ...['Ann <ann@books.example>', 'a@b', ', ,', '=?x?Q?=00?=', '"'],
  ],
  to: [...addresses, 'a: b, c;', '<>'],
}
