/** A time in the format of the browser's field, in the reader's zone. */
export function localTime(at: Date): string {
  const two = (number: number) => String(number).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}
