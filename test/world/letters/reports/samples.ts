import { readFileSync } from 'node:fs'
import { notices } from './notices.ts'
import { original, to } from './written.ts'

/** A message that a server has sent about another, or that only looks like that. */
export interface Sample {
  readonly name: string
  readonly raw: Buffer
  /** What it is read as: whom it names, the action and the status; of a complaint its type, the envelope senders and the recipients. */
  readonly says: string
}

const texts = readFileSync(new URL('../../corpus/reports.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split(/^=== /m)
const inWords = texts.slice(1).map((text) => {
  const [, name = '', says = '', message = ''] = /^(.*?): (.*)\n([\s\S]*)$/.exec(text) ?? []
  const fields = /^To:/m.test(message.split('\n\n', 1)[0] ?? '') ? '' : to
  return { name, says, raw: `${fields}${message.trimEnd().replace('%original%', original)}` }
})

export const samples: readonly Sample[] = [...inWords, ...notices].map(({ raw, ...sample }) => ({
  ...sample,
  raw: Buffer.from(raw.replaceAll(/\r?\n/g, sample.name.includes('LF alone') ? '\n' : '\r\n')),
}))

export function rawOf(name: string): Buffer {
  const found = samples.find((sample) => sample.name === name)
  if (!found) throw new Error(`No sample ${name}`)
  return found.raw
}
