/** WebAssembly's pages. */
const page = 64 * 1024
const empty = Buffer.alloc(page)
/** The memories of a program, not the buffers in them. */
const large = 16 * 2 ** 20

/** In this whole process, copying a large array uses no memory for its zero pages, and copying one over another writes only
 *  differing pages. To create a cluster PGlite copies PostgreSQL's 128 MiB of memory, mostly untouched, and restores it
 *  before each step. */
export function copySparsely(): void {
  const { slice, set } = Uint8Array.prototype
  Uint8Array.prototype.slice = function (this: Uint8Array<ArrayBuffer>, ...range: [number?, number?]) {
    if (this.length < large || range.length > 0) return slice.apply(this, range) as Uint8Array<ArrayBuffer>
    const copy = new Uint8Array(this.length)
    for (const [at, part] of pages(this)) {
      if (Buffer.compare(part, empty.subarray(0, part.length)) !== 0) set.call(copy, part, at)
    }
    return copy
  }
  Uint8Array.prototype.set = function (this: Uint8Array, source: ArrayLike<number>, offset = 0) {
    if (!(source instanceof Uint8Array) || source.length < large) return set.call(this, source, offset)
    if (offset + source.length > this.length) throw new RangeError('offset is out of bounds')
    for (const [at, part] of pages(source)) {
      const here = this.subarray(offset + at, offset + at + part.length)
      if (Buffer.compare(part, here) !== 0) set.call(this, part, offset + at)
    }
  }
}

function* pages(array: Uint8Array): Generator<[number, Uint8Array]> {
  for (let at = 0; at < array.length; at += page) yield [at, array.subarray(at, at + page)]
}
