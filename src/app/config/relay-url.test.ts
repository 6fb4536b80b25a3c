import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unusable } from './reader.ts'
import { parseRelayUrl } from './relay-url.ts'

const login = { user: 'ann@example.com', password: 'p@ss:w/örd' }
const encoded = `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}`

const plain = { host: 'relay.example', port: 25, login: undefined }
for (const [url, expected] of [
  ['smtp://relay.example', { ...plain, tls: 'offered' }],
  ['smtp://relay.example/', { ...plain, tls: 'offered' }],
  ['smtp://relay.example:2525?starttls=never', { ...plain, port: 2525, tls: 'never' }],
  ['smtp://relay.example?starttls=required', { ...plain, tls: 'required' }],
  [`smtp://${encoded}@relay.example`, { ...plain, port: 587, tls: 'required', login }],
  [`smtp://${encoded}@127.0.0.1:25?starttls=never`, { host: '127.0.0.1', port: 25, tls: 'never', login }],
  [`smtps://${encoded}@relay.example`, { ...plain, port: 465, tls: 'implicit', login }],
  ['smtps://[::1]:10465', { host: '::1', port: 10465, tls: 'implicit', login: undefined }],
] as const)
  test(`${url} is a relay`, () => assert.deepEqual(parseRelayUrl(url), expected))

for (const url of [
  ...['relay.example', 'relay.example:25', 'http://relay.example', 'smtp://', 'smtp://:25', 'smtp://relay example'],
  ...['smtp://relay.example:99999', 'smtp://relay.example\r\n', 'smtp://rel%20ay.example', 'smtp://relay.example/path'],
  ...['smtp://relay.example#x', 'smtp://relay.example?tls=1', 'smtp://relay.example?starttls=maybe'],
  ...['smtp://relay.example?starttls=never&x=1', 'smtp://relay.example?starttls=never&starttls=never'],
  ...['smtps://relay.example?starttls=never', 'smtp://ann:s3cret@relay.example?starttls=offered'],
  ...['smtp://ann@relay.example', 'smtp://:s3cret@relay.example', 'smtp://ann:s3cret%00@relay.example'],
  ...['smtp://ann:s3cret%zz@relay.example', 'smtp://ann:s3cret@'],
])
  test(`${JSON.stringify(url)} is refused, without its password`, () => {
    assert.throws(
      () => parseRelayUrl(url),
      (error) => error instanceof Unusable && /set it to /.test(error.message) && !/s3cret/.test(error.message),
    )
  })
