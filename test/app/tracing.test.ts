// On both databases: each driver is traced.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createTransport } from 'nodemailer'
import { databaseHome } from '#test/world/database/database.ts'
import { each } from '#test/world/each.ts'
import { onceTold, telling } from '#test/world/observe/writes.ts'
import { ofFile } from '#test/world/of-file.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { type Service, startService } from '#test/world/service.ts'
import { freePort } from '#test/world/sockets/free-port.ts'
import { HttpClient } from '#test/world/sockets/http-client.ts'

const home = ofFile(await databaseHome())
const organization = await storeOrganization(home, { domain: 'traces.test', mailboxes: ['ada', 'bob'] })

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: readonly { readonly key: string; readonly value: object }[]
  readonly status: { readonly code?: number }
}

/** Takes traces as a collector does: OTLP over HTTP, as JSON. */
class Collector implements AsyncDisposable {
  readonly spans: Span[] = []
  readonly headers: unknown[] = []
  /** All that came, as it came. */
  said = ''
  readonly #server: Server
  private constructor(server: Server) {
    this.#server = server
  }

  /** One that is not `alive` accepts a request and never answers. */
  static async start(alive = true): Promise<Collector> {
    const server = createServer(async (request, response) => {
      if (!alive) return
      const said = await text(request)
      collector.said += said
      collector.headers.push([request.url, request.headers['x-token'], request.headers['content-type']])
      for (const { scopeSpans } of JSON.parse(said).resourceSpans)
        for (const { spans } of scopeSpans) collector.spans.push(...spans)
      response.setHeader('content-type', 'application/json').end('{}')
    })
    const collector = new Collector(server)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return collector
  }

  get endpoint(): string {
    const address = this.#server.address()
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`
  }

  named(name: string): Span {
    const found = this.spans.find((span) => span.name === name)
    assert.ok(found, `no ${name} in ${this.spans.map((span) => span.name)}`)
    return found
  }

  below({ spanId }: Span): Span[] {
    return this.spans.filter(({ parentSpanId }) => parentSpanId === spanId)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await once(this.#server.close(), 'close')
  }
}

function ask({ http }: Service, path: string, headers: Record<string, string> = {}, body?: object) {
  const { key } = organization
  return new HttpClient(http).request(body ? 'POST' : 'GET', path, { key, headers, ...(body && { body }) })
}

async function write({ smtp }: Service, to: string): Promise<void> {
  const transport = createTransport({ ...smtp, ignoreTLS: true })
  await transport.sendMail({ from: 'charles@engines.example', to, subject: 'A whisper', text: 'Hush' })
  transport.close()
}

const attributes = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
const ended = { code: 0, signal: null }

test('a request, a message that comes and one that leaves are followed down to their statements', async () => {
  await using collector = await Collector.start()
  const traced = {
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'x-token=let-me-in' },
    OTEL_SERVICE_NAME: 'post',
  }
  const service = await startService(telling(['arrivals', 'mail_messages'], { ...home.env, ...traced }))
  const [trace, parent] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
  const [ada = '', bob = ''] = organization.addresses
  await write(service, ada)
  for (const traceparent of [`00-${trace}-${parent}-01`, `00-${trace}-${parent}-00`])
    assert.equal((await ask(service, `/v1/threads?mailbox=${ada}`, { traceparent })).status, 200)
  await ask(service, '/v1/send', {}, { from: ada, to: bob, subject: 'A secret', text: 'Hush' })
  await onceTold([service], async () => (await ask(service, `/v1/messages?mailbox=${bob}`)).body.total > 0)
  await write(service, 'nobody@traces.test').catch(() => {})
  assert.deepEqual(await service.end('SIGTERM'), ended)

  assert.deepEqual(collector.headers[0], ['/v1/traces', 'let-me-in', 'application/json'])
  assert.match(collector.said, /"service.name","value":\{"stringValue":"post"\}/)

  const requests = collector.spans.filter(({ name }) => name === 'GET /v1/threads')
  assert.equal(requests.length, 1, 'a client that does not want its request followed has it so')
  const [request] = requests
  assert.ok(request)
  assert.deepEqual([request.traceId, request.parentSpanId, request.kind], [trace, parent, 2])
  const route = { 'http.request.method': 'GET', 'http.route': '/v1/threads' }
  assert.deepEqual(attributes(request), { ...route, 'http.response.status_code': 200 })
  const names = collector.below(request).map(({ name }) => name)
  assert.ok(names.includes('select mail_messages') && names.includes('select api_keys'), String(names))
  const statement = collector.below(request).find(({ name }) => name === 'select mail_messages')
  assert.deepEqual(statement && attributes(statement), { 'db.system.name': 'postgresql' })

  const posted = collector.named('POST /v1/send')
  assert.match(each(collector.below(posted), 'name').join(), /\bcommit\b/, 'also behind the body')

  const arrival = collector.named('arriving message')
  assert.deepEqual(attributes(arrival), { 'mailroom.smtp.status': '2.0.0' })
  assert.ok(collector.below(arrival).length > 0)
  const refused = collector.spans.filter(({ name }) => name === 'arriving recipient').map((one) => attributes(one))
  assert.ok(refused.some((one) => one['mailroom.smtp.status'] === '5.1.1'))

  const attempt = collector.named('outbound attempt')
  assert.equal(attempt.parentSpanId ?? '', '', 'what a worker does belongs to nobody’s request')
  assert.ok(collector.below(attempt).length > 0)

  const said = ['traces.test', 'engines.example', 'whisper', 'secret', 'Hush']
  for (const secret of [...said, organization.key, organization.organizationId])
    assert.ok(!collector.said.includes(secret), secret)
})

/** Ends a process that would load any of it, but for the interface, which the metrics' library has too. */
const withoutLibraries = `import { registerHooks } from 'node:module'
registerHooks({ resolve(specifier, context, next) {
  if (specifier.startsWith('@opentelemetry/') && specifier !== '@opentelemetry/api') throw new Error('OpenTelemetry is loaded')
  return next(specifier, context)
} })`
const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(withoutLibraries)}`

// The same on both, and each starts sooner on a server.
if (process.env.TEST_DATABASE_URL !== undefined) {
  for (const [what, start] of [
    [
      'is not there',
      async () => ({ endpoint: `http://127.0.0.1:${await freePort()}`, [Symbol.asyncDispose]: async () => {} }),
    ],
    ['says nothing', () => Collector.start(false)],
  ] as const)
    test(`a collector that ${what} delays neither requests nor the stop`, async () => {
      await using collector = await start()
      const service = await startService({ ...home.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
      for (let count = 0; count < 50; count++) assert.equal((await ask(service, '/v1/labels')).status, 200)
      assert.deepEqual(await service.end('SIGTERM'), ended)
    })

  test('nothing of it is loaded where no collector is named, or tracing is switched off', async () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
    await assert.rejects(startService({ ...home.env, ...endpoint, NODE_OPTIONS }), /OpenTelemetry is loaded/)
    for (const env of [{}, { ...endpoint, OTEL_SDK_DISABLED: 'true' }]) {
      const service = await startService({ ...home.env, ...env, NODE_OPTIONS })
      assert.equal((await ask(service, '/v1/labels')).status, 200)
      assert.deepEqual(await service.end('SIGTERM'), ended)
    }
  })
}
