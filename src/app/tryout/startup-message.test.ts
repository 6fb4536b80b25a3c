import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startupMessage } from './startup-message.ts'

// On one database: none is asked.

const at = { http: 'http://127.0.0.1:8080', smtp: { host: '127.0.0.1', port: 2525 } }
const imap = { host: '127.0.0.1', port: 1143 }
const tryout = { key: 'mrk_x', messages: 36, link: 'http://localhost:8080/sign-in#x', password: 'abcd-efgh' }

test('a first start leads to the web app', () => {
  const said = startupMessage({ ...at, web: true }, tryout)
  assert.match(said, /Web app {4}http:\/\/127\.0\.0\.1:8080\/\n/)
  assert.match(
    said,
    /Open this link to sign in as its owner\. It works once, for 72 hours:\n\n {2}http:\/\/localhost:8080\/sign-in#x\n/,
  )
})

test('a first start without a web app says so, how to build it, and that the link needs it', () => {
  const said = startupMessage({ ...at, web: false }, tryout)
  assert.match(said, /Web app {4}not built: `npm ci && npm run build` builds it, then start again\n/)
  assert.match(said, /Once the web app is built, this link signs in as its owner\./)
  assert.match(startupMessage({ ...at, web: false }, undefined), /Web app {4}not built/)
})

test('it says where a mail program reads mail, and at a first start by what password', () => {
  const said = startupMessage({ ...at, imap, web: true }, tryout)
  assert.match(said, /IMAP {7}127\.0\.0\.1:1143 .*ada@tryout\.test/)
  assert.match(said, /signs in as ada@tryout\.test with this password, .*\n\n {2}abcd-efgh\n/)
  assert.doesNotMatch(startupMessage({ ...at, imap, web: true }, undefined), /abcd/)
  assert.doesNotMatch(startupMessage({ ...at, web: true }, tryout), /IMAP|abcd/)
})
