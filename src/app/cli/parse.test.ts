import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commands } from './commands.ts'
import { helpFor, overview } from './help.ts'
import { parseCall, UsageError } from './parse.ts'

for (const [line, name, given] of [
  ['org create Acme', 'org create', { name: 'Acme' }],
  ['org create Acme --plan team', 'org create', { name: 'Acme', plan: 'team' }],
  ['org create --plan=team Acme', 'org create', { name: 'Acme', plan: 'team' }],
  ['org create -- --plan', 'org create', { name: '--plan' }],
  ['key create --org A --scopes all', 'key create', { org: 'A', scopes: 'all' }],
  ['key create --org A --org B --scopes all', 'key create', { org: 'B', scopes: 'all' }],
  ['member label add L --org A --member a@b.c', 'member label add', { name: 'L', org: 'A', member: 'a@b.c' }],
  ['doctor', 'doctor', {}],
] as const)
  test(`"${line}" calls ${name}`, () => {
    const call = parseCall(line.split(' '), commands)
    assert.equal(call.command.name, name)
    assert.deepEqual({ ...call.given }, given)
    assert.equal(call.json, false)
  })

test('--json may be anywhere after the command', () => {
  assert.ok(parseCall(['org', 'create', '--json', 'Acme'], commands).json)
  assert.ok(parseCall(['org', 'list', '--json'], commands).json)
})

for (const [line, message] of [
  ['ogr create', 'Unknown command "ogr create"; see `mailroom help`'],
  ['--json org list', 'No command before "--json"; see `mailroom help`'],
  ['org', /^Incomplete command; one of: mailroom org create, mailroom org list, mailroom org plan/],
  ['member label', /^Incomplete command; one of: .*mailroom member label add/],
  ['org create', 'NAME is missing\nUsage: mailroom org create NAME [--plan PLAN] [--json]'],
  ['org plan Acme', /^PLAN is missing\n/],
  ['org plan', /^NAME and PLAN are missing\n/],
  ['org create Acme Corp', /^"Corp" is an unexpected argument; quote a name of several words\n/],
  ['key list', '--org is missing\nUsage: mailroom key list --org NAME [--json]'],
  ['key list --org', /^Option '--org <value>' argument missing\nUsage: /],
  ['key list --org A --all', /^Unknown option '--all'/],
  ['key list --org A --json=yes', /does not take an argument/],
] as const)
  test(`"${line}" is a usage error that says what is wrong`, () =>
    assert.throws(
      () => parseCall(line.split(' '), commands),
      (error) => {
        assert.ok(error instanceof UsageError)
        if (typeof message === 'string') assert.equal(error.message, message)
        else assert.match(error.message, message)
        return true
      },
    ))

test('every command is in the overview and has a help page', () => {
  const shown = overview(commands)
  for (const command of commands) {
    assert.ok(shown.includes(`  ${command.name}`), command.name)
    const { help } = parseCall([...command.name.split(' '), '--help'], commands)
    assert.ok(help)
    for (const option of Object.keys(command.options)) assert.ok(helpFor(command).includes(`--${option} `))
  }
})
