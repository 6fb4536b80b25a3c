const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** A number of octets in the reader's language: 1.5 GB. */
export function size(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const unit = units[power] ?? 'byte'
  const style = { style: 'unit', unit, unitDisplay: power === 0 ? 'long' : 'short', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(undefined, style).format(bytes / 1_000 ** power)
}

// Creating one takes as long as rendering a row of the list.
const whole = new Intl.NumberFormat()

export const count = (number: number) => whole.format(number)
