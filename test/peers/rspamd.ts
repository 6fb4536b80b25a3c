// rspamd with the rules that Debian brings, without what needs a network, Redis or a history.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '#test/world/sockets/free-port.ts'

const program = '/usr/bin/rspamd'

/** A message, and how it came. */
export interface Scanned {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: Buffer
}

export interface Rspamd extends AsyncDisposable {
  /** The scores of the symbols that rspamd finds. */
  scores(message: Scanned): Promise<Readonly<Record<string, number>>>
}

export async function startRspamd(): Promise<Rspamd> {
  if (!existsSync(program)) throw new Error(`There is no rspamd at ${program}: apt-get install rspamd`)
  await using starting = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'mailroom-rspamd-'))
  starting.defer(() => rm(directory, { recursive: true, force: true }))
  const port = await freePort()
  await writeFile(join(directory, 'tlds'), 'com\nexample\norg\ntest\n')
  await writeFile(join(directory, 'rspamd.conf'), configuration(directory, port))
  const places = ['DBDIR', 'RUNDIR', 'LOGDIR', 'LOCAL_CONFDIR'].map((name) => `--var=${name}=${directory}`)
  // Nobody else than root has to be told to stay who it is.
  const account = process.getuid?.() === 0 ? ['-u', 'root', '-g', 'root'] : []
  const words = ['-f', '-i', ...account, '-c', join(directory, 'rspamd.conf'), ...places]
  const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  starting.defer(async () => {
    child.kill()
    await ended
  })
  let log = ''
  const listens = Promise.withResolvers<void>()
  // It listens from then on, and answers once it has read its rules.
  createInterface(child.stderr).on('line', (line) => {
    log = `${log}${line}\n`.slice(-4_000)
    if (line.includes('starting normal process')) listens.resolve()
  })
  await Promise.race([
    listens.promise,
    ended.then(() => {
      throw new Error(`rspamd did not start:\n${log}`)
    }),
  ])
  const started = starting.move()
  return {
    async scores({ from, to, raw }) {
      const headers = new Headers({
        From: from,
        IP: '192.0.2.1',
        Helo: 'mx.mailroom.test',
        Hostname: 'mx.mailroom.test',
      })
      for (const one of to) headers.append('Rcpt', one)
      const response = await fetch(`http://127.0.0.1:${port}/checkv2`, { method: 'POST', headers, body: raw })
      const { symbols } = (await response.json()) as { symbols: Record<string, { score: number }> }
      return Object.fromEntries(Object.entries(symbols).map(([name, { score }]) => [name, score]))
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** The tables of domains are short: Debian's take long to read on a busy machine. */
function configuration(directory: string, port: number): string {
  return `
options {
  pidfile = "${directory}/rspamd.pid"; control_socket = "${directory}/control.sock mode=0600"
  cache_file = "${directory}/symbols.cache"; hs_cache_dir = "${directory}/"; disable_hyperscan = true
  url_tld = "${directory}/tlds"; tempdir = "${directory}"
  filters = "chartable,regexp"; disable_monitoring = true; task_timeout = 10min
  dns { nameserver = ["127.0.0.1:9"]; timeout = 0.1s; retransmits = 0 }
}
logging { type = "console"; level = "info"; color = false }
worker "normal" { bind_socket = "127.0.0.1:${port}"; count = 1 }
lua = "$RULESDIR/rspamd.lua"
.include "$CONFDIR/actions.conf"
.include "$CONFDIR/groups.conf"
.include "$CONFDIR/composites.conf"
.include "$CONFDIR/modules.d/chartable.conf"
.include "$CONFDIR/modules.d/regexp.conf"
.include "$CONFDIR/modules.d/forged_recipients.conf"
.include "$CONFDIR/modules.d/maillist.conf"
mime_types { file = "$CONFDIR/maps.d/mime_types.inc"; extension_map = { html = "text/html"; txt = "text/plain" } }
modules { path = "/usr/share/rspamd/plugins" }
`
}
