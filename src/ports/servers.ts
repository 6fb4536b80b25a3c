/** An IMAP server, and the user that may act for every mailbox on it. */
export interface ImapServer {
  readonly host: string
  readonly port: number
  /** `implicit` from the start, `required` by STARTTLS. Certificates are verified. */
  readonly tls: 'implicit' | 'required' | 'never'
  readonly user: string
  readonly password: string
}

/** The relay that an installation's mail goes through. */
export interface RelayServer {
  readonly host: string
  readonly port: number
  /** `implicit` from the start, `required` and `offered` by STARTTLS. Certificates are verified but with `offered`. */
  readonly tls: 'implicit' | 'required' | 'offered' | 'never'
  readonly login: { readonly user: string; readonly password: string } | undefined
}

/** From where this machine connects to deliver mail. */
export interface MailSource {
  /** The protocol, IPv4 or IPv6. */
  readonly family: 'any' | 4 | 6
  /** The address of this machine to connect from by IPv4; undefined lets the system choose. */
  readonly ipv4: string | undefined
  readonly ipv6: string | undefined
}

/** The URL of Dovecot's HTTP API, and its password. */
export interface DoveadmServer {
  /** As `https://imap.example.com:8080`. */
  readonly origin: string
  readonly password: string
}
