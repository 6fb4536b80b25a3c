import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

/** The comment has other sessions of mail programs told of the commit (src/imap/selected/folder-news.ts). */
const unannounced = /(?<!\/\* announced \*\/ )(?:update|insert into|delete from) mail_folders\b/g
/** It changes neither what a folder has nor its modification sequence. */
const unseen = 'src/people/usage/recount-folders.ts'

test('every statement that changes folders, by which sessions see that there is something new, announces its commit', () => {
  const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts') && file !== unseen)
  const found = files.flatMap((file) =>
    (readFileSync(file, 'utf8').match(unannounced) ?? []).map((what) => [file, what]),
  )
  assert.deepEqual(found, [])
})
