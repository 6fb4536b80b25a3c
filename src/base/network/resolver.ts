/** Lookups in the DNS. Missing records are an answer; only a failed lookup throws (`LookupFailed`). */
export interface Resolver {
  /** Each record's strings joined (RFC 7208, section 3.3), read as UTF-8 if valid. Empty if the name or the type does not
   *  exist. */
  txt(name: string): Promise<string[]>
  /** Lowest preference first. A null MX (RFC 7505) is one record with an empty exchange. */
  mx(name: string): Promise<{ exchange: string; priority: number }[]>
  a(name: string): Promise<string[]>
  aaaa(name: string): Promise<string[]>
  cname(name: string): Promise<string[]>
  ptr(address: string): Promise<string[]>
  /** Whether the name exists, with records of any type or with names below it: false only for NXDOMAIN (RFC 8020). Aliases
   *  are followed, and the name at their end decides (RFC 6604, section 3). */
  exists(name: string): Promise<boolean>
}

/** The most aliases (CNAME) in a row that a resolver follows: name servers usually follow as many. */
export const longestAliasChain = 16

/** A resolver whose records are given to it. */
export interface Zone extends Resolver {
  /** Replaces the records of a name; undefined removes them. */
  set(name: string, records: ZoneRecords | undefined): void
}

/** The records at one name. */
export interface ZoneRecords {
  readonly txt?: readonly string[]
  readonly mx?: readonly { readonly exchange: string; readonly priority: number }[]
  readonly a?: readonly string[]
  readonly aaaa?: readonly string[]
  readonly cname?: string
  /** Of the address itself: `192.0.2.1`. */
  readonly ptr?: readonly string[]
  /** Each lookup of this name fails. */
  readonly fails?: 'timeout' | 'servfail'
}
