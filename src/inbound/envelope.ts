import type { Admitted, Returning } from './admit.ts'

/** Who brings mail from elsewhere: what SPF is about. */
export interface Origin {
  /** IPv4 or IPv6. */
  readonly address: string
  /** As it names itself in EHLO or HELO. */
  readonly helo: string
}

/** Who is speaking to us; its address is what the socket says, its name that of EHLO, HELO or LHLO. */
export interface Client extends Origin {
  /** SMTP after HELO, ESMTP after EHLO. What comes by LMTP another server of ours has taken in already. */
  readonly protocol: 'SMTP' | 'ESMTP' | 'LMTP'
  /** The TLS version and cipher, where the message came over TLS. */
  readonly tls: string | undefined
}

/** Somebody a message is for. */
export interface Named {
  readonly recipient: string
}

/** What SMTP says of a message beside its bytes. */
export interface Envelope<Recipient extends Named = Admitted | Returning> {
  /** Ours: in `Received`, in the reply and in every line of the log about it. */
  readonly id: string
  readonly receivedAt: Date
  readonly client: Client
  /** The client, or, by LMTP, whom the server before us had the message from; undefined where it does not say. */
  readonly origin: Origin | undefined
  /** As given; empty for the null sender. */
  readonly sender: string
  /** Addresses, headers or both may be UTF-8 (RFC 6531). */
  readonly utf8: boolean
  /** One for each RCPT that was taken; a mailbox may be there more than once. */
  readonly recipients: readonly Recipient[]
}
