import type { Address } from '../../../api/generated.ts'

/** The people that a message names. */
export interface Letter {
  readonly from: Address
  readonly to: readonly Address[]
}

/** The weight of a sent message, in received ones. */
const ofSent = 100

/** Each once, the most frequent of `sent` first, then those of `received`. */
export function ranked(sent: readonly Letter[], received: readonly Letter[], own: string): Address[] {
  const found = new Map<string, { person: Address; score: number }>()
  const meet = (person: Address, score: number) => {
    const key = person.address.toLowerCase()
    if (key === '' || key === own.toLowerCase()) return
    const known = found.get(key)
    found.set(key, {
      person: known && known.person.name !== '' ? known.person : person,
      score: (known?.score ?? 0) + score,
    })
  }
  for (const { to } of sent) for (const person of to) meet(person, ofSent)
  for (const { from, to } of received) for (const person of [from, ...to]) meet(person, person === from ? 1 : 0)
  return [...found.values()].toSorted((one, other) => other.score - one.score).map(({ person }) => person)
}

const folded = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** Whether each typed word begins one of the name or the address. */
export function isCalled({ name, address }: Address, typed: string): boolean {
  const whole = folded(`${name} ${address}`)
  const words = folded(typed).split(/\s+/).filter(Boolean)
  return words.length > 0 && words.every((word) => startsWord(whole, word))
}

function startsWord(whole: string, word: string): boolean {
  for (let at = whole.indexOf(word); at >= 0; at = whole.indexOf(word, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(whole[at - 1] ?? '')) return true
  return false
}
