/** A provider of OpenID Connect by which members sign in. */
export interface SingleSignOn {
  readonly issuer: string
  readonly clientId: string
  /** What people know the provider as. */
  readonly name: string
  /** Separated by spaces. */
  readonly scopes: string
  /** The claim that has the e-mail address. */
  readonly addressClaim: string
  readonly groupsClaim: string
  /** The groups of owners and admins; undefined if no group gives that role. */
  readonly ownerGroup: string | undefined
  readonly adminGroup: string | undefined
  /** By domain of their addresses, the organization (its name or id) of which people become members by themselves. */
  readonly domains: ReadonlyMap<string, string>
}
