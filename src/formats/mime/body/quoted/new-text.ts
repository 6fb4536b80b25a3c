import { beginsHeader, isAnsweredHeader, isOriginalMark } from './answered-header.ts'
import {
  endsAddress,
  introductionAbove,
  introductionOfUnmarked,
  isEndOfIntroduction,
  plainLine,
} from './introductions.ts'

/** The text without quoted lines, the lines that introduce them, the original below a mark, its header or its introduction, and the
 *  signature. */
export function newText(text: string): string {
  const lines = new NewLines(text.split('\n'), { signature: false }).read()
  const first = lines.findIndex((line) => line !== '')
  return lines.slice(Math.max(0, first), lines.findLastIndex((line) => line !== '') + 1).join('\n')
}

/** The first new lines of a text, up to `enough` characters, with the signature. */
export function firstNewLines(text: string, enough: number): string[] {
  return new NewLines(text.split('\n'), { signature: true, enough }).read()
}

/** Lines that are looked at as the beginning of a header or the end of an introduction: real mail has a few. As many take 50 ms. */
const mostLooks = 1_000

/** One pass over the lines of a text. */
class NewLines {
  readonly #all: readonly string[]
  readonly #signature: boolean
  readonly #enough: number
  /** By line, where the next one is that is not empty. */
  readonly #next: Uint32Array
  readonly #kept: string[] = []
  /** Where the first line is that is not empty; -1 as long as nothing is written. */
  #first = -1
  #looks = 0

  constructor(
    all: readonly string[],
    { signature, enough = Number.POSITIVE_INFINITY }: { signature: boolean; enough?: number },
  ) {
    this.#all = all
    this.#signature = signature
    this.#enough = enough
    this.#next = new Uint32Array(all.length)
    for (let at = all.length - 1, next = all.length; at >= 0; at--) {
      this.#next[at] = next
      if ((all[at] ?? '').trim() !== '') next = at
    }
  }

  /** The lines that are kept, with their indentation. */
  read(): string[] {
    const kept = this.#kept
    let [inQuote, length] = [false, 0]
    for (const [at, line] of this.#all.entries()) {
      const trimmed = line.trim()
      if (!this.#signature && (line === '-- ' || line === '--')) break
      if (this.#first >= 0 && trimmed !== '' && (isOriginalMark(trimmed) || this.#endsAtHeader(at))) break
      const quoted = trimmed.startsWith('>') && (inQuote || !endsAddress(kept.at(-1) ?? '', trimmed))
      if (trimmed !== '' && quoted && !inQuote) this.#dropIntroduction()
      // The empty lines around what is left out are one.
      if (quoted || (trimmed === '' && inQuote && (kept.at(-1) ?? '') === '')) {
        inQuote = true
        continue
      }
      if (trimmed !== '') inQuote = false
      kept.push(line.trimEnd())
      if (this.#first < 0 && trimmed !== '') this.#first = kept.length - 1
      if (this.#introducesRest(at)) break
      length += trimmed.length
      if (length > this.#enough) break
    }
    return kept
  }

  #dropIntroduction(): void {
    const end = this.#kept.findLastIndex((line) => line !== '') + 1
    const count = this.#looks++ < mostLooks ? introductionAbove(this.#kept.slice(Math.max(0, end - 4), end)) : 0
    this.#keep(end - count)
  }

  /** Whether the last line introduces the rest, whose lines are not marked as quoted. It is left out. Where nothing was written before,
   *  the rest is what the message is about. */
  #introducesRest(at: number): boolean {
    if (this.#looks >= mostLooks || !isEndOfIntroduction(this.#kept.at(-1) ?? '')) return false
    const next = this.#all[this.#next[at] ?? 0]?.trim() ?? ''
    if (next.startsWith('>')) return false
    this.#looks++
    const count = introductionOfUnmarked(this.#kept.slice(-4))
    const before = this.#kept.length - count
    if (count === 0 || this.#first >= before) return false
    this.#keep(before)
    return true
  }

  #endsAtHeader(at: number): boolean {
    return (
      beginsHeader(this.#all[at] ?? '') &&
      this.#looks++ < mostLooks &&
      isAnsweredHeader(this.#all, at) &&
      this.#dropRule()
    )
  }

  /** Removes the rule above a header. False if nothing was written before, or the line above says what follows, as "forwarded message"
   *  between dashes does: then the message is what follows. */
  #dropRule(): boolean {
    const last = this.#kept.findLastIndex((line) => line !== '')
    const line = plainLine(this.#kept[last] ?? '')
    if (!/^[-_=*~—–]{3,}$/.test(line)) return !(line.startsWith('---') || /[:：]$/.test(line))
    if (this.#first >= last) return false
    this.#keep(last)
    return true
  }

  #keep(count: number): void {
    this.#kept.length = count
    if (this.#first >= count) this.#first = -1
  }
}
