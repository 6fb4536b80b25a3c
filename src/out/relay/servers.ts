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
