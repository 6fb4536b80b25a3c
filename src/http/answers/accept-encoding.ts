/** Whether a field `Accept-Encoding` allows a coding (RFC 9110, section 12.5.3). */
export function takesCoding(accepted: string | readonly string[] | undefined, coding: string): boolean {
  const weights = new Map(
    String(accepted ?? '')
      .split(',')
      .map((one) => {
        const [name = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase())
        const weight = parameters.find((part) => part.startsWith('q='))?.slice(2)
        return [name, weight === undefined ? 1 : Number(weight)] as const
      }),
  )
  return (weights.get(coding) ?? weights.get('*') ?? 0) > 0
}
