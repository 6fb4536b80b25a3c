/** More often than all that stands beside it. */
const usually = (text: string) => Array<string>(8).fill(text)

const lengths = [64, 65, 1_000].map((length) => 'x'.repeat(length))

/** Some are refused: a public suffix, a name with a Kelvin sign for its k, no host names. */
const domains = [
  ...['shop.example', 'books.example', 'Books.Example.', 'bücher.example', 'xn--bcher-kva.example', 'a.b.c.d.example'],
  ...['co.uk', 'localhost', '127.0.0.1', '\u212aeys.example', 'a..b', '-a.example', 'x_y.example', 'example'],
]

/** Of Ada, in OpenPGP's ASCII armor. */
const publicKey = [
  '-----BEGIN PGP PUBLIC KEY BLOCK-----',
  '',
  'mDMEawGy4RYJKwYBBAHaRw8BAQdAMNKBjiWTzMiiK5xvRqLpIm/mv6ILlZ4ERmv4',
  'h5uvg3K0FUFkYSA8YWRhQHRyeW91dC50ZXN0PoiQBBMWCAA4FiEE+xkKWNjw2HEm',
  'nrxwV2RUdqB4nHcFAmsBsuECGwEFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQ',
  'V2RUdqB4nHfHOgEA6KRTnQXELmPKfRa6isY/5uRkCDapQeHqRwmyj0XVokYA/1Q8',
  'Lb/V+B0dmqtzZZDqJWHfGjM9DQzuKlAbtmqWSMQMuDgEawGy4RIKKwYBBAGXVQEF',
  'AQEHQJJznmRMzQimjKF5+m4ZmETmflIsmji4ikUhUDZNbTEaAwEIB4h4BBgWCAAg',
  'FiEE+xkKWNjw2HEmnrxwV2RUdqB4nHcFAmsBsuECGwwACgkQV2RUdqB4nHdQEwEA',
  'hdhfm8Kf6v5+A9l8DInyw729qtaTzMSwgi56OI5Ld0cBAJinThC66WSRGIIV/jeA',
  '5Ftej7Ny5CvqBULqBbAn3wMJ',
  '=pgB8',
  '-----END PGP PUBLIC KEY BLOCK-----',
  '',
].join('\n')

/** Texts that mean something under the name that they come with, that of a parameter or a property, or of the part of a
 *  path before an id. `{{label}}` is the id of a label that is there when the request is sent, `{{new}}`
 *  something else each time. */
export const fittingTexts: Readonly<Record<string, readonly string[]>> = {
  mailbox: [...usually('{{address}}'), '{{other address}}', 'nobody@tryout.test'],
  folder: [
    ...usually('inbox'),
    'Archive',
    'spam',
    'Projects/Apollo',
    'projects/../x',
    'INBOX/x',
    '/',
    'x"\r\nA1 DELETE x',
  ],
  labels: [...usually('{{label}}'), '{{other label}}', '{{filter}}'],
  filters: [...usually('{{filter}}'), '{{other filter}}', '{{label}}'],
  'blocked-senders': [
    ...usually('{{blocked}}'),
    '{{other blocked}}',
    '@spam.example',
    'a@spam.example',
    '@Spam.Example',
  ],
  messages: [...usually('{{message}}'), '1', '2', '999', '4294967296', '01', '1.0'],
  attachments: [...usually('{{attachment}}'), '1', '1.1', '9.9.9', '0'],
  scheduled: [...usually('{{scheduled}}'), '{{failed}}', '{{other scheduled}}', '{{other failed}}'],
  send_at: ['2026-11-21T08:00:00Z', '2026-11-21T08:00:00+01:00', '2026-11-21T08:00:00', '2026-02-30T08:00:00Z', '0'],
  threads: [...usually('{{thread}}'), '{{other thread}}', 'AAAAAAAAAAAAAAAA'],
  limit: [...usually('10'), '1', '25', '100', '0', '101'],
  page: [...usually('0'), '1', '1000000000', '1000000001'],
  domains: [...usually('{{domain}}'), '{{other domain}}', '{{label}}'],
  domain: [...usually('{{mail domain}}'), ...usually('{{new}}.example'), '{{other mail domain}}', ...domains],
  domain_id: [...usually('{{mail domain id}}'), '{{domain}}', '{{other domain}}', '{{label}}'],
  local_part: [
    ...usually('{{new}}'),
    ...usually('{{new}}'),
    'ben',
    'dee.d-e_e1',
    'ada',
    'postmaster',
    'a..b',
    '.a',
    'a-',
    'a+b',
    'A',
    '\u0430da',
    ...lengths,
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
  from: ['Ann <ann@books.example>', 'a@b', ', ,', '=?x?Q?=00?=', '"'],
  to: ['{{address}}', 'a: b, c;', '<>', 'a@b.example, c@d.example'],
}
