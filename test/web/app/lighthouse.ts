// Has Lighthouse look at every page of the web app, as the owner of a try-out, and fails where one has less than 100 for accessibility or
// best practices. Where paths are named, at these alone; `/mail/*` stands for all that begin so. npx fetches Lighthouse, which is too large to be a dependency for this alone.

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startService } from '#test/world/service.ts'
import { pages } from '../../../web/src/app/navigation.ts'

const lighthouse = 'lighthouse@12.8.2'
const categories = ['accessibility', 'best-practices']

const run = promisify(execFile)
await using resources = new AsyncDisposableStack()
const data = await mkdtemp(join(tmpdir(), 'lighthouse-'))
resources.defer(() => rm(data, { recursive: true, force: true }))
const service = await startService({ MAILROOM_DATA_DIR: join(data, 'service') }, ['serve'])
resources.defer(async () => void (await service.end('SIGTERM')))

const link = /\S+\/sign-in#\S+/.exec(service.written())?.[0] ?? ''
const { origin } = new URL(link)
const headers = { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' }
const signedIn = await fetch(`${origin}/v1/session`, { method: 'POST', headers, body: JSON.stringify({ link }) })
const Cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''

/** A request in the owner's session. */
// biome-ignore lint/suspicious/noExplicitAny: its answers are as the API describes them
async function request(method: string, path: string, body?: object): Promise<any> {
  const options = { method, headers: { ...headers, Cookie }, ...(body && { body: JSON.stringify(body) }) }
  const answer = await fetch(origin + path, options)
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return await answer.json()
}

const [{ address }] = (await request('GET', '/v1/me')).mailboxes
const [conversation] = (await request('GET', `/v1/threads?mailbox=${address}`)).data
const webhook = await request('POST', '/v1/webhooks', { url: 'https://example.com/', name: 'Help desk' })
const inbox = `/mail/${encodeURIComponent(address)}/inbox`
const named = process.argv.slice(2)
const all = [
  ...pages.map(({ to }) => to),
  ...[inbox, `${inbox}/${conversation.ids[0]}`, `/mail/${encodeURIComponent(address)}/trash`, '/search'],
  '/search?q=engine',
  ...[`/mailboxes/${address}`, `/webhooks/${webhook.id}`, '/profile', '/no-such-page', '/confirm', '/sign-in'],
  // Opens a dialog.
  '/filters?from=ann%40books.example',
]

const chosen = named.flatMap((name) =>
  name.endsWith('*') ? all.filter((one) => one.startsWith(name.slice(0, -1))) : name,
)
for (const path of named.length > 0 ? chosen : all) {
  const report = join(data, 'report.json')
  // Whoever is signed in is led away from there.
  const cookie = path === '/sign-in' ? {} : { Cookie }
  const args = [
    ...['--yes', lighthouse, origin + path, '--quiet', '--output=json', `--output-path=${report}`],
    ...[`--only-categories=${categories}`, `--extra-headers=${JSON.stringify(cookie)}`, '--max-wait-for-load=120000'],
    ...['--throttling-method=provided', '--disable-full-page-screenshot'],
    '--chrome-flags=--no-sandbox --headless --disable-gpu',
  ]
  await run('npx', args, { env: { ...process.env, CHROME_PATH: '/usr/bin/chromium-headless-shell' } })
  const result = JSON.parse(await readFile(report, 'utf8'))
  const scores = categories.map((name) => Math.round(result.categories[name].score * 100))
  const failed = Object.values<{ id: string; score: number | null; scoreDisplayMode: string }>(result.audits)
    .filter(({ score, scoreDisplayMode }) => scoreDisplayMode === 'error' || (score !== null && score < 1))
    .map(({ id }) => id)
  process.stdout.write(`${scores.join(' ')} ${path}${failed.map((id) => ` ${id}`).join('')}\n`)
  if (scores.some((score) => score !== 100)) process.exitCode = 1
}
