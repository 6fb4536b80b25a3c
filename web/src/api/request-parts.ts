/** A path with the parameters of a query that are given. */
export function withQuery(path: string, params: object = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params))
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) query.append(name, String(one))
  return query.size > 0 ? `${path}?${query}` : path
}

/** The header of a request with a body, with what else is given. */
export function withType(headers?: RequestInit['headers']): Headers {
  const all = new Headers({ 'Content-Type': 'application/json' })
  new Headers(headers).forEach((value, name) => {
    all.set(name, value)
  })
  return all
}
