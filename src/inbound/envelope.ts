import type { Admitted, Returning } from './admit.ts'

/** Who is speaking to us. */
export interface Client {
  /** IPv4 or IPv6, as the socket says. */
  readonly address: string
  /** As it names itself in EHLO or HELO. */
  readonly helo: string
  readonly extended: boolean
  /** The TLS version and cipher, where the message came over TLS. */
  readonly tls: string | undefined
}

/** What SMTP says of a message beside its bytes. */
export interface Envelope {
  /** Ours: in `Received`, in the reply and in every line of the log about it. */
  readonly id: string
  readonly receivedAt: Date
  readonly client: Client
  /** As given; empty for the null sender. */
  readonly sender: string
  /** Addresses, headers or both may be UTF-8 (RFC 6531). */
  readonly utf8: boolean
  /** One for each RCPT that was taken; a mailbox may be there more than once. */
  readonly recipients: readonly (Admitted | Returning)[]
}
