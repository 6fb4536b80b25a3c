import { quote, Unusable } from './reader.ts'

/** The roles of a process that runs `serve`. */
export const roles = ['api', 'mx', 'submission', 'imap', 'worker'] as const
export type Role = (typeof roles)[number]

/** Reads `api,mx`; undefined if a word is no role. For `serve --roles` too. */
export function rolesIn(text: string): ReadonlySet<Role> | undefined {
  const words = text.split(',').map((word) => word.trim())
  return words.every(isRole) ? new Set(words) : undefined
}

export function parseRoles(text: string): ReadonlySet<Role> {
  const wanted = rolesIn(text)
  if (!wanted)
    throw new Unusable(`is ${quote(text)}: set it to one or more of ${roles.join(', ')}, separated by commas`)
  return wanted
}

function isRole(word: string): word is Role {
  return (roles as readonly string[]).includes(word)
}
