/** A sequence set (RFC 9051, section 9): ranges as they were given, `*` as infinity, from the lower to the higher number; `$`
 *  for the saved result of a search (RFC 5182). */
export type SequenceSet = '$' | readonly NumberRange[]

export interface NumberRange {
  readonly from: number
  readonly to: number
}
