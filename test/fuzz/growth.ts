import { growsTooFast } from '#test/world/observe/growth.ts'
import { works } from './growth-work.ts'

/** Fragments of which attackers make texts; those of a group go together. */
const fragments: readonly (readonly string[])[] = [
  [
    ...['a', 'b', ' ', '\t', '\n', '\r\n', '\r\n ', '0', '.', ',', ';', ':', '=', '-', '_', '*', '%'],
    ...['&', '/', '\\', '\0', '|'],
  ],
  [
    ...['<', '>', '"', "'", '(', ')', '[', ']', '{', '}', '@', '<a@b.example>', '"a" <', '\\"', '(a'],
    ...['a)', 'a,', 'a;', 'a:'],
  ],
  [
    ...['=?utf-8?q?a?=', '=?utf-8?b?YQ==?=', '=?', '?=', '=20', '=\r\n', '=E4', '%20', "utf-8''"],
    ...['*0*=a;', 'name=', 'a="b";'],
  ],
  [
    ...['<p>', '</p>', '<div>', '</div>', '<br>', '<a ', '<a href="', '<!--', '-->', '<!', '<style>'],
    ...['<title>', '</', '<table>'],
  ],
  [
    ...['<blockquote>', '</blockquote>', '<div class="gmail_quote">', '<img src="cid:', '<td style="'],
    ...[' class=', ' id=', '&amp;'],
  ],
  [
    ...['&#x41;', '&lt', '&CounterClockwiseContourIntegral;', 'http://', 'https://a.example/', 'www.'],
    ...['mailto:', 'ann@b.example'],
  ],
  [
    ...['> ', '>', '>\r\n', '-- \r\n', 'On a, b wrote:\r\n', 'wrote:', '-----Original Message-----\r\n'],
    ...['From: a\r\n', 'Sent: a\r\n'],
  ],
  [
    ...['Subject: a\r\n', 'To: a\r\n', '________\r\n', '--b\r\n', '--b--\r\n'],
    ...['Final-Recipient: rfc822; a@b.example\r\n', '550 5.1.1 '],
  ],
  [
    ...['Content-Type: text/html\r\n\r\n', 'Content-Type: multipart/mixed; boundary=b\r\n\r\n'],
    ...['a@b.example\r\n', '\r\n\r\n'],
  ],
  [
    ...['\u0301', '\u0316', 'é', 'ß', '東', 'か', 'ｶﾞ', 'ﷺ', '한', '🙂', '\u200d', '\u00a0', '\u2028'],
    ...['\ufeff', '\ud800', 'İ', '½'],
  ],
]

/** A text made of a beginning, two units that are each repeated, and an end. */
export interface Shape {
  readonly start: string
  readonly units: readonly [string, string]
  readonly isMixed: boolean
  readonly end: string
}

export function textOf({ start, units, isMixed, end }: Shape, size: number): string {
  const [one, other] = units
  const repeated = (unit: string, length: number) => unit.repeat(Math.ceil(length / (unit.length || length)))
  const part = other === '' ? size : size / 2
  const middle = isMixed ? repeated(one + other, size) : repeated(one, part) + repeated(other, part)
  return start + middle + end
}

/** Does all works with so many made-up texts each. @returns what grows too fast, with a text for each */
export function fuzzGrowth(count: number, seed: number, onDone: (done: number) => void = () => {}): string[] {
  const random = randomFrom(seed)
  const oneOf = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T
  const found = new Map<string, string>()
  const names = Object.keys(works)
  for (let done = 0; done < count; done++) {
    const group = oneOf(fragments)
    const pick = () => oneOf(random() < 0.7 ? group : oneOf(fragments))
    const some = (most: number) => Array.from({ length: Math.floor(random() * (most + 1)) }, pick).join('')
    const shape: Shape = {
      start: some(1),
      units: [pick() + some(1), random() < 0.5 ? '' : pick() + some(1)],
      isMixed: random() < 0.5,
      end: some(1),
    }
    for (const name of names) {
      const work = works[name]
      if (!work || found.has(name) || !growsTooFast(work, (size) => textOf(shape, size))) continue
      found.set(name, `${name}: ${JSON.stringify(shape)}`)
    }
    onDone(done + 1)
  }
  return [...found.values()]
}

/** Numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
