export interface Endpoint {
  /** Its name, for people and in its certificate. */
  readonly host: string
  /** An IP address, or a name for the system to look up. */
  readonly address: string
  readonly port: number
  /** The address of this machine to connect from; undefined lets the system choose. */
  readonly localAddress?: string | undefined
  /** PEM of certificates to trust in place of the system's. */
  readonly ca?: string | undefined
}
