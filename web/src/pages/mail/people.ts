import type { Address } from '../../api/generated.ts'
import { plain } from '../../parts/text/plain.ts'

/** Who it is, in one word or two. A name that looks like an address may be meant to deceive: then it is the address. */
export function personName({ name, address }: Address): string {
  const shown = plain(name)
  return shown === '' || shown.includes('@') ? plain(address) || 'Nobody' : shown
}

/** The people of a conversation, each once, without those who are named `self`. */
export function namesOf(people: readonly Address[], self: string): string[] {
  const names = new Map<string, string>()
  for (const person of people) {
    const key = person.address.toLowerCase()
    if (!names.has(key)) names.set(key, key === self.toLowerCase() ? 'me' : personName(person))
  }
  return [...names.values()]
}
