import type { MailSource, RelayServer } from './servers.ts'

/** The result of a trial of a relay. `why` is a sentence about the fault. */
export type RelayTrial =
  | { readonly ended: 'well' }
  /** No server answers. */
  | { readonly ended: 'unreachable'; readonly why: string }
  /** It answers, without the TLS that is required, or with a certificate that is not trusted. */
  | { readonly ended: 'insecure'; readonly why: string }
  /** It answers and rejects our login. */
  | { readonly ended: 'refused'; readonly why: string }

/** Connects to a relay as sending does, from that source if one is given, with EHLO under that name and, if configured, a login. Begins no transaction. With an address
 *  its name is not looked up. */
export type TryRelay = (
  server: RelayServer & { readonly address?: string },
  name: string,
  source?: MailSource,
) => Promise<RelayTrial>
