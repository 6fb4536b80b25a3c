import type { RemotePictures } from './picture-places.ts'

/** A resource that is loaded, from anywhere. Pictures in the text itself are not. */
const loading = /\b(?:url\((?!\s*["']?data:image\/)|image-set\(|-webkit-image-set\(|image\(|src\()/i

/** An address in the text of a style, as browsers print it. */
const written = /url\("([^"\\]+)"\)/g

/** Collects the styles of a message. Style attributes become rules: only a sheet with the page's nonce applies in the frame. */
export class StyleSheet {
  readonly #sheets: string[] = []
  readonly #moved = new Map<string, string>()
  readonly #remote: RemotePictures

  constructor(remote: RemotePictures) {
    this.#remote = remote
  }

  /** Adds the text of a `style` element, without imports, fonts and other resources. */
  add(css: string): void {
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

  /** All rules. Those of attributes override those of sheets, as before. */
  text(): string {
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
    const all = `@layer message {\n${this.#sheets.join('\n')}\n}\n${moved.join('\n')}`
    // Within `style` only its end tag has a meaning. In a string or comment `<\/` is `</`; elsewhere it does not occur.
    return all.replaceAll('</', '<\\/')
  }

  #rules(rules: CSSRuleList): string {
    return [...rules].map((rule) => this.#rule(rule)).join('\n')
  }

  #rule(rule: CSSRule): string {
    if (rule instanceof CSSStyleRule) {
      this.#clean(rule.style)
      return `${rule.selectorText}{${rule.style.cssText}}`
    }
    if (rule instanceof CSSMediaRule) return `@media ${rule.conditionText}{${this.#rules(rule.cssRules)}}`
    if (rule instanceof CSSSupportsRule) return `@supports ${rule.conditionText}{${this.#rules(rule.cssRules)}}`
    return ''
  }

  #clean(style: CSSStyleDeclaration): void {
    for (const property of [...style]) {
      const value = style.getPropertyValue(property)
      if (!loading.test(value)) continue
      const shown = property.includes('image') ? this.#inPlaceOf(value) : value
      if (loading.test(shown)) style.removeProperty(property)
      else style.setProperty(property, shown, style.getPropertyPriority(property))
    }
  }

  #inPlaceOf(value: string): string {
    return value.replace(written, (whole, source: string) => {
      const found = loading.test(whole) ? this.#remote.take(source) : undefined
      return found === undefined ? whole : `url("${found}")`
    })
  }
}
