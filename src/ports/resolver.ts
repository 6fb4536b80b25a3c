/** What DNS says. Records that are not there are an answer; only a look-up that failed throws (`LookupFailed`). */
export interface Resolver {
  /** Each record's strings joined (RFC 7208 3.3), read as UTF-8 where they are that. Empty when the name or the type does not exist. */
  txt(name: string): Promise<string[]>
  /** Lowest preference first. A null MX (RFC 7505) is one record with an empty exchange. */
  mx(name: string): Promise<{ exchange: string; priority: number }[]>
  a(name: string): Promise<string[]>
  aaaa(name: string): Promise<string[]>
  cname(name: string): Promise<string[]>
  ptr(address: string): Promise<string[]>
}
