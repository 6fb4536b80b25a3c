/** An address and a port; 0 lets the system choose. */
export interface Listening {
  readonly host: string
  readonly port: number
}

/** The certificate and key of a port with TLS: paths of PEM files. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}
