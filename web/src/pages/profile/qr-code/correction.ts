/** Powers of 2 in the field of 256 elements with the polynomial 0x11d (ISO/IEC 18004), and their exponents. */
const powers = new Uint8Array(255)
const exponents = new Uint8Array(256)
for (let exponent = 0, power = 1; exponent < 255; exponent++) {
  powers[exponent] = power
  exponents[power] = exponent
  power = power < 128 ? power * 2 : (power * 2) ^ 0x11d
}

function product(one: number, other: number): number {
  if (one === 0 || other === 0) return 0
  return powers[((exponents[one] ?? 0) + (exponents[other] ?? 0)) % 255] ?? 0
}

/** The coefficients of the product of (x - 2^i), i from 0 to `degree` - 1, without the first, which is 1. */
function generator(degree: number): number[] {
  let polynomial = [1]
  for (let i = 0; i < degree; i++) {
    const root = powers[i] ?? 0
    polynomial = [...polynomial, 0].map((one, at) => one ^ product(polynomial[at - 1] ?? 0, root))
  }
  return polynomial.slice(1)
}

/** The codewords by which errors in these are corrected (Reed–Solomon). */
export function correctionOf(data: readonly number[], count: number): number[] {
  const divisor = generator(count)
  let rest: number[] = Array.from({ length: count }, () => 0)
  for (const codeword of data) {
    const factor = codeword ^ (rest[0] ?? 0)
    rest = [...rest.slice(1), 0].map((one, at) => one ^ product(divisor[at] ?? 0, factor))
  }
  return rest
}
