import type { RemotePictures } from './picture-places.ts'

/** A picture in the text itself, as browsers print it: nothing is loaded for it. */
const inText = /url\("data:image\/[^"\\]*"\)/g

/** Strings, as browsers print them. */
const quoted = /"(?:[^"\\]|\\.)*"/gs

/** The functions in values of mail. None of them loads. Others may, such as `url()`, `image-set()`, and `var()` and its like, whose
 *  fallback is a text that browsers do not parse before it is used. */
const harmless = new Set([
  ...['rgb', 'rgba', 'hsl', 'hsla', 'hwb', 'lab', 'lch', 'oklab', 'oklch', 'color', 'color-mix', 'light-dark'],
  ...['calc', 'min', 'max', 'clamp', 'round', 'abs', 'sign', 'minmax', 'repeat', 'fit-content', 'rect', 'inset'],
  ...['linear-gradient', 'radial-gradient', 'conic-gradient', 'repeating-linear-gradient', 'repeating-radial-gradient'],
  ...['repeating-conic-gradient', 'counter', 'counters', 'matrix', 'matrix3d', 'perspective', 'rotate', 'rotate3d'],
  ...['rotatex', 'rotatey', 'rotatez', 'scale', 'scale3d', 'scalex', 'scaley', 'scalez', 'skew', 'skewx', 'skewy'],
  ...['translate', 'translate3d', 'translatex', 'translatey', 'translatez', ''],
])

/** Whether a value, as browsers print it, may load something. */
function mayLoad(value: string): boolean {
  const bare = value.replace(inText, '').replace(quoted, '""')
  if (bare.includes('\\')) return true
  return Array.from(bare.matchAll(/([-\w\u0080-\uffff]*)\(/g)).some(
    ([, name = '']) => !harmless.has(name.toLowerCase()),
  )
}

/** An address in the text of a style, as browsers print it. */
const written = /url\("([^"\\]+)"\)/g

/** The properties that mail is styled with. Others are left out: nested columns and writing modes hang a browser, filters and
 *  animations take all of its time, and values of custom properties grow as they are substituted. */
const known =
  /^(?:align-|background-|block-size$|border-|bottom$|box-s|caption-side$|clear$|color$|color-scheme$|column-gap$|content$|cursor$|direction$|display$|empty-cells$|flex-|float$|font-|grid-|height$|hyphens$|inline-size$|inset-|justify-|left$|letter-spacing$|line-|list-style-|margin-|max-|min-|object-|opacity$|order$|outline-|overflow|padding-|position$|quotes$|right$|row-gap$|tab-size$|table-layout$|text-|top$|transform|unicode-bidi$|vertical-align$|visibility$|white-space|width$|word-|z-index$|-webkit-text-size-adjust$)/

/** Characters of all style elements. More are left out. */
const mostCss = 100_000

/** Collects the styles of a message. Style attributes become rules: only a sheet with the page's nonce applies in the frame. */
export class StyleSheet {
  readonly #sheets: string[] = []
  readonly #moved = new Map<string, string>()
  readonly #remote: RemotePictures
  #characters = 0
  #selectors = 0

  constructor(remote: RemotePictures) {
    this.#remote = remote
  }

  /** Adds the text of a `style` element, without imports, fonts and other resources. */
  add(css: string): void {
    this.#characters += css.length
    if (this.#characters > mostCss) return
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    this.#sheets.push(this.#rules(sheet.cssRules))
  }

  /** Turns the element's style attribute into a rule for it. */
  move(element: Element, style: string): void {
    element.removeAttribute('data-own-style')
    let name = this.#moved.get(style)
    if (name === undefined) {
      name = String(this.#moved.size)
      this.#moved.set(style, name)
    }
    element.setAttribute('data-style', name)
  }

  /** How many things the rules are looked up for in each element. */
  get selectors(): number {
    return this.#selectors
  }

  /** Those that were added. */
  sheets(): string {
    return ended(`@layer message {\n${this.#sheets.join('\n')}\n}`)
  }

  /** Those of elements, which are stronger, as they were. */
  ofElements(): string {
    const sheet = new CSSStyleSheet()
    const moved: string[] = []
    for (const [style, name] of this.#moved) {
      sheet.replaceSync(`[data-style="${name}"]{}`)
      const [rule] = sheet.cssRules
      if (!(rule instanceof CSSStyleRule)) continue
      rule.style.cssText = style
      this.#clean(rule.style)
      moved.push(rule.cssText)
    }
    return ended(moved.join('\n'))
  }

  #rules(rules: CSSRuleList): string {
    return [...rules].map((rule) => this.#rule(rule)).join('\n')
  }

  #rule(rule: CSSRule): string {
    if (rule instanceof CSSStyleRule) {
      // It is searched again within each element.
      if (rule.selectorText.includes(':has(')) return ''
      this.#selectors += rule.selectorText.split(',').length
      this.#clean(rule.style)
      return `${rule.selectorText}{${rule.style.cssText}}`
    }
    if (rule instanceof CSSMediaRule) return `@media ${rule.conditionText}{${this.#rules(rule.cssRules)}}`
    if (rule instanceof CSSSupportsRule) return `@supports ${rule.conditionText}{${this.#rules(rule.cssRules)}}`
    return ''
  }

  #clean(style: CSSStyleDeclaration): void {
    for (const property of [...style]) {
      if (!known.test(property)) {
        style.removeProperty(property)
        continue
      }
      const value = style.getPropertyValue(property)
      // Of a shorthand whose value is known only when it is used, `background: var(--n, url(…))`, longhands read as empty.
      if (value !== '' && !mayLoad(value)) continue
      const shown = property.includes('image') ? this.#inPlaceOf(value) : value
      if (shown === '' || mayLoad(shown)) style.removeProperty(property)
      else style.setProperty(property, shown, style.getPropertyPriority(property))
    }
    // What is printed is what counts, whatever was read.
    if (mayLoad(style.cssText)) style.cssText = ''
  }

  #inPlaceOf(value: string): string {
    return value.replace(written, (whole, source: string) => {
      const found = mayLoad(whole) ? this.#remote.take(source) : undefined
      return found === undefined ? whole : `url("${found}")`
    })
  }
}

/** Within `style` only its end tag means anything. In a string and a comment `<\/` is `</`; elsewhere it cannot be. */
function ended(css: string): string {
  return css.replaceAll('</', '<\\/')
}
