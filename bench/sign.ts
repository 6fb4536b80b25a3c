import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import { compose } from '#/out/compose/compose.ts'
import { signed } from '#/out/compose/sign.ts'
import { inTurns, median, type Row } from './report.ts'

/** As many are signed beside each other as one claim takes of what is scheduled. */
const together = 100
const octets = 4_000

interface Cost {
  /** CPU time of a message in all threads, in milliseconds. */
  readonly cpu: number
  /** How long one keeps the main thread, in milliseconds. */
  readonly held: number
}

/** Two DKIM signatures, RSA and Ed25519, on messages of 5 KB, against mailauth's signer, which is given its keys as it takes
 *  them and names each field once. */
export async function sign({ messages = 1_000, rounds = 5 } = {}): Promise<Row[]> {
  const at = new Date()
  const pairs = [
    ['rsa', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
    ['ed25519', generateKeyPairSync('ed25519').privateKey],
  ] as const
  const keys = pairs.map(([algorithm, privateKey]) => ({ ...{ algorithm, privateKey }, ...named(algorithm) }))
  const signatureData = pairs.map(([algorithm, key]) => ({
    ...{ signingDomain: named(algorithm).domain, selector: algorithm, algorithm: `${algorithm}-sha256` },
    ...{ canonicalization: 'relaxed/relaxed', privateKey: pem(key) },
  }))
  // What each signature has of its own, its types ask for once more.
  const theirs = { ...{ signingDomain: 'bench.test', selector: '', privateKey: '' }, signTime: at, signatureData }
  const raw = await compose(
    {
      ...{ from: { name: 'Ada', address: 'ada@bench.test' }, to: [{ name: 'Bob', address: 'bob@there.example' }] },
      ...{ cc: [], bcc: [], replyTo: [], inReplyTo: [], references: [], attachments: [], html: null },
      ...{ subject: 'Your invoice', text: `${'Please find it below. '.repeat(3)}\n`.repeat(octets / 67) },
    },
    { messageId: '<1@bench.test>', date: at },
  )
  const measured = await inTurns(
    rounds,
    () => cost(messages, () => dkimSign(raw, theirs)),
    () => cost(messages, () => signed(raw, keys, at)),
  )
  const list = (name: keyof Cost) =>
    measured.map(({ ours, floor }) => `${ours[name].toFixed(2)} : ${floor[name].toFixed(2)}`).join(', ')
  const ratio = (name: keyof Cost) => median(measured.map(({ ours, floor }) => ours[name] / floor[name]))
  return [
    { what: 'CPU time of a message', value: ratio('cpu'), unit: '×', from: `${list('cpu')} ms` },
    { what: 'of which in the main thread', value: ratio('held'), unit: '×', from: `${list('held')} ms` },
  ]
}

function named(selector: string) {
  return { domain: 'bench.test', selector }
}

function pem(key: KeyObject): string {
  return String(key.export({ format: 'pem', type: 'pkcs8' }))
}

async function cost(messages: number, one: () => Promise<unknown>): Promise<Cost> {
  const [cpu, loop] = [process.cpuUsage(), performance.eventLoopUtilization()]
  for (let left = messages; left > 0; left -= together)
    await Promise.all(Array.from({ length: Math.min(left, together) }, one))
  const { user, system } = process.cpuUsage(cpu)
  const { active } = performance.eventLoopUtilization(loop)
  return { cpu: (user + system) / 1_000 / messages, held: active / messages }
}
