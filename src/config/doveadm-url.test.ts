import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDoveadmUrl } from './doveadm-url.ts'
import { Unusable } from './reader.ts'

for (const [url, origin] of [
  ['http://doveadm:p%40ss@127.0.0.1:24246', 'http://127.0.0.1:24246'],
  ['https://doveadm:p%40ss@imap.example:24246/', 'https://imap.example:24246'],
  ['https://doveadm:p%40ss@imap.example', 'https://imap.example'],
  ['http://doveadm:p%40ss@[::1]:24246', 'http://[::1]:24246'],
] as const) {
  test(`${url} is read`, () => assert.deepEqual(parseDoveadmUrl(url), { origin, password: 'p@ss' }))
}

for (const url of [
  'imap.example:24246',
  'imap://doveadm:hunter2@imap.example:24246',
  'http://imap.example:24246',
  'http://doveadm@imap.example:24246',
  'http://mailroom:hunter2@imap.example:24246',
  'http://doveadm:hunter2@imap.example:24246/doveadm/v1',
  'http://doveadm:hunter2@imap.example:24246?starttls=never',
  'https://doveadm:hunter2@imap.example:24246?starttls=never',
]) {
  test(`${url} is refused, without its password`, () => {
    assert.throws(
      () => parseDoveadmUrl(url),
      (error) => error instanceof Unusable && !error.message.includes('hunter2'),
    )
  })
}

for (const scheme of ['http', 'https']) {
  test(`an ${scheme} URL with a parameter is refused with what it may be`, () =>
    assert.throws(() => parseDoveadmUrl(`${scheme}://doveadm:hunter2@imap.example:24246?starttls=never`), {
      message: /^takes no parameters: set it to https:\/\/doveadm:password@/,
    }))
}
