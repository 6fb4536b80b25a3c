import type { RelayServer } from './servers.ts'

/** The result of a trial of a relay. `why` is a sentence about the fault. */
export type RelayTrial =
  | { readonly ended: 'well' }
  /** No server answers, or none that can be trusted. */
  | { readonly ended: 'unreachable'; readonly why: string }
  /** It answers and rejects our login. */
  | { readonly ended: 'refused'; readonly why: string }

/** Connects to a relay as sending does, with EHLO under that name and, if configured, a login. Begins no transaction. */
export type TryRelay = (server: RelayServer, name: string) => Promise<RelayTrial>
