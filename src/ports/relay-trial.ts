import type { RelayServer } from './servers.ts'

/** How a trial of a relay ended. `why` says in a sentence what failed. */
export type RelayTrial =
  | { readonly ended: 'well' }
  /** Nobody answers, or nobody who can be trusted. */
  | { readonly ended: 'unreachable'; readonly why: string }
  /** It answers and does not let us in. */
  | { readonly ended: 'refused'; readonly why: string }

/** Connects to a relay as mail does, saying EHLO with that name, and logs in where it is to. No message is begun. */
export type TryRelay = (server: RelayServer, name: string) => Promise<RelayTrial>
