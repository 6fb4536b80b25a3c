import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { mailbox, nameOf, pathIn, pathOf } from './mailbox-name.ts'

const own = { prefix: 'INBOX.', delimiter: '.' }

for (const [name, argument] of [
  ['Projects/Apollo', '"INBOX.Projects.Apollo"'],
  ['', '"INBOX."'],
  ['"quoted" \\ slashed', String.raw`"INBOX.\"quoted\" \\ slashed"`],
  ['Tom & Jerry', '"INBOX.Tom &- Jerry"'],
  ['a\r\nA1 LOGOUT', '"INBOX.a&AA0ACg-A1 LOGOUT"'],
  ['Entwürfe', '"INBOX.Entw&APw-rfe"'],
  ['😀', '"INBOX.&2D3eAA-"'],
  ['*%(){}~', '"INBOX.*%(){}~"'],
  ['{5}', '"INBOX.{5}"'],
  ['a\0b\x7f', '"INBOX.a&AAA-b&AH8-"'],
] as const) {
  test(`a folder called ${JSON.stringify(name)} is ${argument} in a command`, () =>
    assert.equal(mailbox(pathOf(name, own)), argument))
}

test('whatever a folder is called, a command has it as one quoted string, and a response gives its name back', () => {
  const string = /^"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"$/
  const unit = fc.oneof(
    fc.constantFrom('"', '\\', '\r\n', '&', '&-', '/', '.', '%', '*', '{9}', '~', ' ', '\0', 'ü', '😀', '\ud800'),
    fc.string({ unit: 'binary', maxLength: 3 }),
  )
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), fc.constantFrom('/', '.', '^'), (parts, delimiter) => {
      const name = parts.join('').replaceAll(delimiter === '/' ? '\n' : delimiter, '-')
      const within = { prefix: `INBOX${delimiter}`, delimiter }
      const path = pathOf(name, within)
      assert.match(mailbox(path), string)
      assert.equal(pathIn(Buffer.from(path)), path)
      assert.equal(nameOf(path, within), name)
    }),
    { numRuns: 2_000 },
  )
})

test('a path in a response is INBOX whatever its case, and none in other characters than a command can have', () => {
  assert.equal(pathIn('inBox'), 'INBOX')
  for (const path of ['Entwürfe', 'a\r\nb', 'a\0', '']) assert.equal(pathIn(Buffer.from(path)), undefined)
})

test('every command that names a mailbox has its name from here', () => {
  const adapter = join(import.meta.dirname, '../..')
  const sources = readdirSync(adapter, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(?<!\.test)\.ts$/.test(path),
  )
  const commands =
    /[`'](?:(?:SELECT|EXAMINE|CREATE|DELETE|RENAME|SUBSCRIBE|STATUS|APPEND|GETQUOTAROOT|LIST|UID (?:COPY|MOVE)) )[^`']*[`']/g
  const found = sources.flatMap((path) => readFileSync(join(adapter, path), 'utf8').match(commands) ?? [])
  const rest = found.map((command) =>
    command.replace(/\$\{mailbox\((?:path|to|put)\)\}|\$\{(?:set|use|items|returned)\}|INBOX|LIST "" "\*"/g, ''),
  )
  assert.ok(found.length >= 11, `${found.length} commands are found`)
  assert.deepEqual(
    rest.filter((command) => /\$\{(?!this\.qresync)/.test(command)),
    [],
  )
})
