import type { Admitted, Returning } from '#/smtp/inbound/recipients/admit.ts'

/** The SMTP client that SPF evaluates. */
export interface Origin {
  /** IPv4 or IPv6. */
  readonly address: string
  /** Its name in EHLO or HELO. */
  readonly helo: string
}

/** The connected client; `helo` is also the name in LHLO. */
export interface Client extends Origin {
  /** SMTP after HELO, ESMTP after EHLO. By LMTP, another server of this site has already accepted the message. */
  readonly protocol: 'SMTP' | 'ESMTP' | 'LMTP'
  /** TLS version and cipher. */
  readonly tls: string | undefined
}

export interface Named {
  readonly recipient: string
}

export interface Envelope<Recipient extends Named = Admitted | Returning> {
  /** In `Received`, in the reply and in log lines. */
  readonly id: string
  readonly receivedAt: Date
  readonly client: Client
  /** The client; by LMTP, the client of the server in front of us, if known. */
  readonly origin: Origin | undefined
  /** Empty for the null sender. */
  readonly sender: string
  /** Addresses, headers or both may be UTF-8 (RFC 6531). */
  readonly utf8: boolean
  /** One for each accepted RCPT; several may have the same mailbox. */
  readonly recipients: readonly Recipient[]
}
