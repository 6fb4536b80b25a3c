import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseImapUrl } from './imap-url.ts'
import { Unusable } from './reader.ts'

const master = { user: 'master', password: 'p@ss' }

for (const [url, expected] of [
  ['imaps://master:p%40ss@imap.example', { host: 'imap.example', port: 993, tls: 'implicit', ...master }],
  ['imap://master:p%40ss@imap.example/', { host: 'imap.example', port: 143, tls: 'required', ...master }],
  ['imap://master:p%40ss@[::1]:1143?starttls=never', { host: '::1', port: 1143, tls: 'never', ...master }],
  [
    'imap://master:p%40ss@imap.example?starttls=required',
    { host: 'imap.example', port: 143, tls: 'required', ...master },
  ],
] as const) {
  test(`${url} is read`, () => assert.deepEqual(parseImapUrl(url), expected))
}

for (const url of [
  'imap.example',
  'http://master:hunter2@imap.example',
  'imap://imap.example',
  'imap://master@imap.example',
  'imap://:hunter2@imap.example',
  'imap://master:%00hunter2@imap.example',
  'imap://master:hunter2%@imap.example',
  'imap://master:hunter2@imap.example/INBOX',
  'imap://master:hunter2@imap.example#INBOX',
  'imap://master:hunter2@imap.example?starttls=offered',
  'imap://master:hunter2@imap.example?starttls=never&x=y',
  'imaps://master:hunter2@imap.example?starttls=never',
  'imaps://master:hunter2@imap.ex ample',
]) {
  test(`${url} is refused, without its password`, () => {
    assert.throws(
      () => parseImapUrl(url),
      (error) => error instanceof Unusable && !error.message.includes('hunter2'),
    )
  })
}
