import type { Address } from '../../api/generated.ts'
import { plain } from '../../parts/text/plain.ts'

/** A person in one or two words. A name that looks like an address may be deceptive: then the address is shown. */
export function personName({ name, address }: Address): string {
  const shown = plain(name)
  return shown === '' || shown.includes('@') ? plain(address) || 'Nobody' : shown
}

/** The people of a conversation, each once, without those named `self`. */
export function namesOf(people: readonly Address[], self: string): string[] {
  const names = new Map<string, string>()
  for (const person of people) {
    const key = person.address.toLowerCase()
    if (!names.has(key)) names.set(key, key === self.toLowerCase() ? 'me' : personName(person))
  }
  return [...names.values()]
}
