import type { SequenceMap } from '../selected/sequence-map.ts'
import type { NumberRange } from '../wire/sequence-set.ts'
import { Places } from './places.ts'

/** The messages that a client knows, at their places: a sequence number is a place and one. */
export class Known {
  readonly uids: Uint32Array

  constructor(messages: SequenceMap) {
    this.uids = new Uint32Array(messages.count)
    let place = 0
    for (const { from, to } of messages.runs()) for (let uid = from; uid <= to; uid++) this.uids[place++] = uid
  }

  get size(): number {
    return this.uids.length
  }

  /** Without those that the client does not know. */
  placesOf(uids: Iterable<number>): Places {
    const places = new Places(this.size)
    for (const uid of uids) {
      const place = this.#firstFrom(uid)
      if (this.uids[place] === uid) places.add(place)
    }
    return places
  }

  placesIn(ranges: readonly NumberRange[]): Places {
    const places = new Places(this.size)
    for (const { from, to } of ranges) {
      for (let place = this.#firstFrom(from); place < this.size && (this.uids[place] ?? 0) <= to; place++) {
        places.add(place)
      }
    }
    return places
  }

  uidAt(place: number): number {
    return this.uids[place] ?? 0
  }

  /** Of a set, the lowest and the highest uid. Undefined for an empty one. */
  span(places: Places): NumberRange | undefined {
    let [first, last] = [-1, -1]
    for (const place of places) {
      if (first < 0) first = place
      last = place
    }
    return first < 0 ? undefined : { from: this.uidAt(first), to: this.uidAt(last) }
  }

  /** The place of the first message with that uid or a higher one. */
  #firstFrom(uid: number): number {
    let [low, high] = [0, this.size]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.uids[middle] ?? 0) < uid) low = middle + 1
      else high = middle
    }
    return low
  }
}
