import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { directoryOfFile } from '#test/world/of-file.ts'
import { certificateFor, testCertificate } from '#test/world/sockets/certificate.ts'
import { World } from '#test/world/world.ts'
import dashboard from '../../deploy/grafana.json' with { type: 'json' }

const scratch = directoryOfFile()
const cert = join(scratch, 'cert.pem')
const key = join(scratch, 'key.pem')
await writeFile(cert, testCertificate.cert)
await writeFile(key, testCertificate.key)
const tls = { MAILROOM_TLS_CERT: cert, MAILROOM_TLS_KEY: key }
const env = { ...tls, MAILROOM_METRICS_PORT: '0', MAILROOM_DATA_DIR: scratch }
const world = await World.ofFile({ env })

const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${world.metrics?.port}${path}`, { method })

/** What is counted under a name, by its labels; without `le`, the bounds of histograms. */
async function counted(name: string): Promise<Record<string, number>> {
  const text = await (await ask('/metrics')).text()
  const lines = text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))
  return Object.fromEntries(Array.from(lines, ([, labels = '', value]) => [labels, Number(value)]))
}

test('requests are counted by route and status, and nothing in them names anybody', async () => {
  const { organization, address } = await world.mailbox('ada')
  for (const _ of [1, 2]) await organization.request('GET', `/v1/threads?mailbox=${address}`)
  await organization.request('DELETE', `/v1/blocked-senders/${encodeURIComponent('@books.example')}`)
  await organization.request('GET', '/v1/labels', undefined, { key: 'mrk_nobody' })
  await fetch(`${world.base}/nowhere/${organization.name}`)
  const requests = await counted('mailroom_http_request_seconds_count')
  assert.equal(requests['method="GET",route="/v1/threads",status="200"'], 2)
  assert.equal(requests['method="GET",route="/v1/labels",status="401"'], 1)
  assert.equal(requests['method="GET",route="",status="404"'], 1)
  assert.deepEqual(await counted('mailroom_thread_indexes_asked'), { 'index="hit"': 1, 'index="miss"': 1 })
  assert.ok(Object.values(await counted('mailroom_thread_indexes_bytes'))[0])
  const text = await (await ask('/metrics')).text()
  for (const secret of [organization.name, organization.id, address, 'books', organization.key])
    assert.ok(!text.includes(secret), secret)
})

test('mail that comes in is counted by what became of it', async () => {
  const { organization, address } = await world.mailbox('ada')
  await world.send({ from: 'ann@peer.example', to: address, text: 'Hi' })
  await assert.rejects(world.send({ from: 'ann@peer.example', to: `nobody@${organization.domain}`, text: 'Hi' }))
  const raw = `From: ann@peer.example\r\n${'Received: x\r\n'.repeat(101)}\r\nHi\r\n`
  await assert.rejects(world.send({ envelope: { from: 'ann@peer.example', to: address }, raw }))
  const messages = await counted('mailroom_arrival_seconds_count')
  assert.equal(messages['outcome="stored"'], 1)
  assert.equal(messages['outcome="refused"'], 1)
  assert.deepEqual(await counted('mailroom_recipients_refused_total'), { 'status="5.1.1"': 1 })
})

test('metrics have the length of queues and their lag', async () => {
  const { organization, address } = await world.mailbox('ada')
  world.dns.set('full.example', { mx: [{ exchange: 'full.example', priority: 1 }], a: ['127.0.0.1'] })
  const sent = { from: address, to: ['bob@full.example'], subject: 'Hi', text: 'Hi' }
  assert.equal((await organization.request('POST', '/v1/send', sent)).status, 202)
  assert.deepEqual(Object.keys(await counted('mailroom_outbound_recipients')), ['state="waiting"', 'state="sending"'])
  for (const name of ['mailroom_outbound_overdue_seconds', 'mailroom_scheduled_due', 'mailroom_scheduled_lag_seconds'])
    assert.equal(typeof (await counted(name))[''], 'number', name)
})

test('internal errors of background work are counted by what works', async () => {
  const loops = 'outbound pending_copies domain_checks search_index changes filter_runs webhooks housekeeping'
  const none = loops.split(' ').map((loop) => [`loop="${loop}"`, 0])
  assert.deepEqual(await counted('mailroom_background_errors_total'), Object.fromEntries(none))
})

test('the process tells of itself: memory, and how long its event loop kept others waiting', async () => {
  assert.ok(((await counted('process_resident_memory_bytes'))[''] ?? 0) > 1e6)
  assert.equal(typeof (await counted('nodejs_eventloop_lag_p99_seconds'))[''], 'number')
})

test('metrics have free disk space, and when the certificate expires', async () => {
  assert.ok(((await counted('mailroom_disk_free_bytes'))[''] ?? 0) > 1e6)
  const expires = async () => (await counted('mailroom_certificate_expires_timestamp_seconds'))['']
  assert.equal(await expires(), Date.UTC(2120, 0, 1) / 1_000)
  await writeFile(cert, certificateFor('mx.example', { until: '20300203040506Z' }).cert)
  assert.equal(await expires(), Date.UTC(2030, 1, 3, 4, 5, 6) / 1_000)
  await rm(cert)
  assert.equal(await expires(), undefined)
  assert.equal((await ask('/metrics')).status, 200)
})

test('every metric that the dashboard or an alert goes by is given out', async () => {
  await world.send({
    from: 'ann@peer.example',
    to: (await (await world.organization()).mailbox('eve')).address,
    text: 'Hi',
  })
  const text = await (await ask('/metrics')).text()
  const shown = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  const alerts = await readFile(join(import.meta.dirname, '../../deploy/prometheus-alerts.yaml'), 'utf8')
  const named = new Set([...shown, alerts].flatMap((text) => text.match(/\b(?:mailroom|nodejs|process)_\w+/g) ?? []))
  assert.ok(named.size >= 15)
  // Of the log of a whole process, which there is none of here (src/log.test.ts).
  named.delete('mailroom_log_lines_dropped_total')
  for (const name of named) assert.ok(text.includes(`# TYPE ${name.replace(/_(count|bucket)$/, '')} `), name)
})

test('the metrics are at /metrics, and nowhere else', async () => {
  const answer = await ask('/metrics')
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  assert.equal((await ask('/')).status, 404)
  assert.equal((await ask('/metrics', 'POST')).status, 405)
  assert.equal((await fetch(`${world.base}/metrics`)).status, 404)
})
