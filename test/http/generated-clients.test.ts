import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual, promisify } from 'node:util'
import { generate } from 'orval'
import type { ZodType } from 'zod'
import { updateMessages } from '#/mail/store/update.ts'
import { directoryOfFile } from '#test/world/of-file.ts'
import { furnish } from '#test/world/organization/furnished.ts'
import { insertVerifiedDomain } from '#test/world/organization/verified-domain.ts'
import { everyOperation, pathOf } from '#test/world/routes/every-route.ts'
import { World } from '#test/world/world.ts'

// On one database: it compares answers with the document, which is one.

const root = join(import.meta.dirname, '../..')

const world = await World.ofFile()
const furnished = await furnish(world)
const directory = directoryOfFile()
await symlink(join(root, 'node_modules'), join(directory, 'node_modules'))
const target = join(directory, 'openapi.json')
await writeFile(target, await world.client.document())
const output = { mode: 'single', override: { zod: { strict: { body: true } } } } as const
for (const client of ['zod', 'fetch'] as const)
  await generate({ input: { target }, output: { ...output, client, target: join(directory, `${client}.ts`) } })
await writeFile(join(directory, 'package.json'), '{"type": "module"}')
/** What orval makes of the document: schemas by name. */
const generated: Record<string, ZodType> = await import(pathToFileURL(join(directory, 'zod.ts')).href)

const modules = { module: 'nodenext', target: 'es2024', lib: ['es2024', 'dom'] }

test('a client and schemas are generated from the document, and compile', async () => {
  const compilerOptions = { ...{ strict: true, noEmit: true, skipLibCheck: true, types: [] }, ...modules }
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', directory])
  assert.equal(stdout, '')
})

test('every example of the document is taken, and answered as its example says and generated schemas expect', async () => {
  const { organization, address, ids } = furnished
  // The examples name a keyword on a message.
  const mailbox = await world.db
    .selectFrom('mailboxes')
    .select('id')
    .where('address', '=', address)
    .executeTakeFirstOrThrow()
  const bears = { organizationId: organization.id, mailboxId: mailbox.id }
  await updateMessages(world.db, bears, 'inbox', [Number(ids.message)], { addKeywords: ['stray'] })
  await insertVerifiedDomain(world.db, organization.id, 'tryout.test')
  await organization.request('POST', '/v1/mailboxes', { domain: 'tryout.test', local_part: 'support' })
  const operations = await everyOperation(world)
  // What goes comes last.
  const inOrder = operations.filter(({ method }) => method !== 'DELETE')
  for (const one of [...inOrder, ...operations.filter(({ method }) => method === 'DELETE')]) {
    const { name, method, path, operation, sample } = one
    const { operationId, requestBody, responses } = operation
    const body = requestBody?.content['application/json'].example
    assert.equal(body === undefined, requestBody === undefined, `${name} has an example`)
    const sent = body && 'send_at' in body ? { ...body, send_at: anHourOn() } : body
    const status = sample.status ?? 200
    const answer = await organization.request(method, pathOf(path, sample, furnished), sent)
    assert.equal(answer.status, status, `${name}: ${JSON.stringify(answer.body)}`)
    const schemas = operationId[0]?.toUpperCase() + operationId.slice(1)
    if (sent) generated[`${schemas}Body`]?.parse(sent)
    const media = responses[String(status)]?.content?.['application/json']
    if (!media) continue
    assertLike(answer.body, media.example, name)
    // Of several successes that differ, generated schemas know the first.
    const [first] = Object.keys(responses).filter((success) => success.startsWith('2'))
    if (!isDeepStrictEqual(responses[first ?? '']?.content?.['application/json']?.schema, media.schema)) continue
    const schema = generated[`${schemas}Response`] ?? generated[`${schemas}${status}Response`]
    assert.ok(schema, `${schemas}Response is generated`)
    schema.parse(answer.body)
  }
})

function anHourOn(): string {
  return new Date(world.clock.now() + 3_600_000).toISOString()
}

test('the generated schema of a message takes one address or several, and nothing else', () => {
  const message = { from: 'ada@tryout.test', text: 'x' }
  const takes = (to: unknown) => generated.SendMessageBody?.safeParse({ ...message, to }).success
  assert.deepEqual(['a@b.example', ['a@b.example', 'c@d.example'], [], 5, 'a\nb'].map(takes), [
    ...[true, true],
    ...[false, false, false],
  ])
})

/** Of the same fields and types all the way down, where both have something. */
function assertLike(answer: unknown, example: unknown, where: string): void {
  if (answer === null || example === null) return
  assert.equal(kind(answer), kind(example), where)
  if (Array.isArray(answer) && Array.isArray(example)) {
    if (answer.length > 0 && example.length > 0) assertLike(answer[0], example[0], `${where}[0]`)
  } else if (typeof answer === 'object' && typeof example === 'object') {
    const [given, shown] = [answer, example] as Record<string, unknown>[]
    assert.deepEqual(Object.keys(given ?? {}).sort(), Object.keys(shown ?? {}).sort(), where)
    for (const name of Object.keys(given ?? {})) assertLike(given?.[name], shown?.[name], `${where}.${name}`)
  }
}

function kind(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}
