import { readFileSync } from 'node:fs'
import { letter } from '#test/world/letters/letter.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'
import { ImapLoadClient } from '../load/imap-client.ts'
import type { Row } from '../report.ts'
import type { Ours } from './ours.ts'
import { perMailbox } from './peer.ts'

/** As many as a client's address may have, and fewer than all. */
const perAddress = 90
const warm = 200

/** What each idle connection costs of memory, beyond the first ones, and how soon one is told of what comes. */
export async function idleRows(
  { service, port, password, login, address, others }: Ours,
  { idle, arrivals }: { idle: number; arrivals: number },
): Promise<Row[]> {
  await using resources = new AsyncDisposableStack()
  let count = 0
  const open = async (login: string) => {
    const from = `127.0.${1 + Math.floor(count++ / perAddress)}.1`
    const client = resources.use(await ImapLoadClient.open({ port, login, password }, from))
    await client.run('ENABLE QRESYNC', 'SELECT INBOX')
    await client.idle()
    return client
  }
  const openTo = async (most: number) => {
    while (count < most) await open(others[Math.floor(count / perMailbox) % others.length] ?? '')
  }
  // One of them, since an organization may have no more.
  const told = await open(login)
  const first = Math.min(warm, Math.floor(idle / 2))
  await openTo(first)
  const before = residentKb(service.process.pid)
  await openTo(idle)
  const after = residentKb(service.process.pid)

  await using sender = await SmtpClient.greeted(service.smtp.port)
  const times: number[] = []
  for (let n = 0; n < arrivals; n++) {
    let at = 0
    const heard = told.until(/EXISTS\r\n/).then(() => {
      at = performance.now()
    })
    await sender.send('ann@peer.example', address, letter({ Subject: `Arrival ${n}` }))
    const stored = performance.now()
    await heard
    times.push(Math.max(0, at - stored))
    told.forget()
  }
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.min(arrivals - 1, Math.floor(arrivals * part))] ?? Number.NaN
  return [
    {
      ...{ what: `memory of an idle connection, of ${idle}`, value: ((after - before) * 1024) / (idle - first) },
      ...{
        unit: 'bytes',
        most: 25_600,
        from: `${(before / 1024).toFixed(0)} MB and ${(after / 1024).toFixed(0)} MB resident`,
      },
    },
    {
      ...{ what: 'from the reply to a message until an idle connection is told, 99 of 100', value: at(0.99) },
      ...{ unit: 'ms', most: 100, from: `the median is ${at(0.5).toFixed(1)} ms` },
    },
  ]
}

function residentKb(pid: number | undefined): number {
  const [, kb] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kb)
}
