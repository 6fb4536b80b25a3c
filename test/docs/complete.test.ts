import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commands } from '#/app/cli/commands.ts'
import { statuses } from '#/http/answers/error-body.ts'
import { each } from '#test/world/each.ts'
import { pathsIn, prose } from './links.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const sources = (pattern: string) =>
  globSync(pattern, { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .map(read)
    .join('\n')
const reference = globSync('docs/reference/*.md', { cwd: root }).map(read).join('\n')

/** The matches of a pattern, each once. */
function found(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => match.slice(1).join(' ')))]
}

function isMissingFrom(page: string): (name: string) => boolean {
  return (name) => !new RegExp(`(?<![\\w/])${name.replace(/[{}/]/g, '\\$&')}(?![\\w/{])`).test(page)
}

test('docs/configuration.md has every variable that is read', () => {
  const variables = found(
    sources('src/app/config/*.ts'),
    /'(MAILROOM_[A-Z_]+|DATABASE_URL|HOST|PORT|LOG_LEVEL|NODE_ENV)'/g,
  )
  assert.ok(variables.length > 20, 'the variables are found')
  assert.deepEqual(variables.filter(isMissingFrom(read('docs/configuration.md'))), [])
})

test('docs/configuration.md has no variable that nobody reads', () => {
  const variables = found(read('docs/configuration.md'), /`(MAILROOM_[A-Z_]+)`/g)
  assert.deepEqual(variables.filter(isMissingFrom(sources('src/app/config/*.ts'))), [])
})

test('deploy/compose.yaml passes on every variable that is read, or refuses it', () => {
  const variables = found(
    sources('src/app/config/*.ts'),
    /'((?:MAILROOM|OTEL)_[A-Z_]+[A-Z]|DATABASE_URL|HOST|PORT|LOG_LEVEL|NODE_ENV)'/g,
  )
  const compose = read('deploy/compose.yaml')
  const isLacking = (name: string) =>
    !new RegExp(`^ +${name}: \\$\\{${name}:[-?]`, 'm').test(compose) && !compose.includes(`\${${name}:+${name}}`)
  assert.ok(variables.length > 40, 'the variables are found')
  assert.deepEqual(variables.filter(isLacking), ['MAILROOM_REFUSED'])
})

test('docs/cli.md has every command', () => {
  const page = found(prose(read('docs/cli.md')), /`([^`]+)`/g).flatMap(alternatives)
  const lacking = commands
    .map(({ name }) => name)
    .filter((name) => !page.some((span) => `${span} `.startsWith(`${name} `)))
  assert.deepEqual(lacking, [])
})

/** `member label\|filter list` is two commands; within a table the page has to escape what stands between them. */
function alternatives(span: string): string[] {
  const [, head = '', words = '', tail = ''] = /^(.*?)(\S+\\\|\S+)(.*)$/.exec(span) ?? []
  return words === '' ? [span] : words.split('\\|').map((word) => `${head}${word}${tail}`)
}

test('docs/reference has every route', () => {
  const text = sources('src/**/*route*.ts')
  const owned = found(text, /app\.(get|post|patch|delete)\(\s*at\('(\/v1\/[^']*)'/g)
  const routes = [
    ...found(text, /app\.(get|post|put|patch|delete)\(\s*'(\/v1\/[^']*)'/g),
    ...owned.flatMap((route) => [route, route.replace('/v1/', '/v1/me/')]),
  ]
    .filter((route) => !route.endsWith('openapi.json'))
    .map((route) => route.replace(/:(\w+)/g, '{$1}').replace(/^\w+/, (method) => method.toUpperCase()))
  assert.ok(routes.length > 35, `the routes are found: ${routes.length}`)
  assert.deepEqual(routes.filter(isMissingFrom(reference)), [])
})

test('docs/reference/http.md has every error code, with its status', () => {
  const rows = found(read('docs/reference/http.md'), /^\| `(\w+)` \| (\d{3}) \|/gm)
  assert.deepEqual(
    rows.sort(),
    Object.entries(statuses)
      .map((row) => row.join(' '))
      .sort(),
  )
})

/** The changes of state that the diagrams of a page draw. */
function drawn(page: string): { states: string[]; functions: string[] }[] {
  return found(page, /```mermaid\nstateDiagram-v2\n([\s\S]*?)```/g).map((diagram) => {
    const changes = [...diagram.matchAll(/^ {2}(\S+) --> (\S+): (\w+)(?: or (\w+))?/gm)].map((change) =>
      change.slice(1),
    )
    const isState = (name = '') => name !== '[*]'
    return {
      states: [...new Set(changes.flatMap(([from = '', to = '']) => [from, to].filter(isState)))].sort(),
      functions: [...new Set(changes.flatMap(([, , one = '', other]) => [one, ...(other ? [other] : [])]))],
    }
  })
}

test('docs/mail-out.md draws every state of a message and of a recipient, and names the function of each change', () => {
  const schema = read('src/base/db/schema/queue.ts')
  const states = [/type MessageState = (.*)/, /interface OutboundRecipients[\s\S]*?\n {2}state: (.*)/].map((type) =>
    found(type.exec(schema)?.[1] ?? '', /'(\w+)'/g).sort(),
  )
  const diagrams = drawn(read('docs/mail-out.md'))
  assert.deepEqual(each(diagrams, 'states'), states)
  const queue = sources('src/out/queue/*.ts')
  const lacking = diagrams.flatMap(({ functions }) => functions.filter((name) => !queue.includes(`function ${name}(`)))
  assert.deepEqual(lacking, [])
})

test('docs/how-to.md names what stands in a file of its section', () => {
  const sections = read('docs/how-to.md')
    .split(/^###? /m)
    .slice(1)
  assert.ok(sections.length > 10, 'the sections are found')
  const lacking = sections.flatMap((section) => {
    const files = pathsIn(section).flatMap((path) =>
      path.endsWith('/') ? globSync(`${path}*`, { cwd: root }) : [path],
    )
    const texts = files
      .filter((path) => /\.(ts|sql)$/.test(path))
      .map(read)
      .join('\n')
    const names = texts === '' ? [] : found(section, /`(\w*[a-z_][A-Z_a-z]\w*)`/g)
    return names.filter((name) => !texts.includes(name))
  })
  assert.deepEqual(lacking, [])
})

test('docs/metrics.md has every metric', () => {
  const metrics = found(sources('src/app/{metrics,server}/*.ts'), /'(mailroom_[a-z_]+)'/g)
  assert.ok(metrics.length > 15, 'the metrics are found')
  assert.deepEqual(metrics.filter(isMissingFrom(read('docs/metrics.md'))), [])
})
