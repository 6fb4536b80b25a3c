/** A copy with room for at least `needed` elements, or the array itself if it has that room. A quarter to spare limits both
 *  copying and unused memory. Lengths stay even. */
export function grown<T extends Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array>(
  array: T,
  needed: number,
): T {
  if (needed <= array.length) return array
  const larger = new (array.constructor as new (length: number) => T)(2 * Math.ceil(needed * 0.625) + 16)
  larger.set(array)
  return larger
}
