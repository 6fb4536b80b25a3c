import { liftedPieces } from '../mail/html/lift-styles.ts'

/** Elements that the page leaves out with all that is in them, or that hide it. */
const leftOut = [
  ...['svg', 'math', 'noscript', 'template', 'iframe', 'object', 'embed', 'applet', 'video', 'audio', 'picture', 'map'],
  ...['noembed', 'noframes', 'xmp', 'plaintext', 'select', 'datalist', 'textarea', 'input', 'button', 'dialog', 'slot'],
  ...['script', '[hidden]'],
].join(', ')

const hiding =
  /(?:^|[;{\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide|(?:opacity|(?:max-)?(?:height|width))\s*:\s*0(?:px)?\s*(?:;|!|$))/i

/** Rules of style elements that are looked up. With more the styles themselves are said to hide something. */
const mostRules = 100

/** What other mail programs may show of HTML though this page does not, as it is written: comments, which Outlook shows under a
 *  condition, and elements that are left out or hidden. */
export function notShown(html: string): string[] {
  const { pieces, css, comments } = liftedPieces(html)
  const all = new DOMParser().parseFromString(pieces.join(''), 'text/html')
  const elements = new Set(all.querySelectorAll(leftOut))
  for (const element of all.querySelectorAll('[data-own-style]'))
    if (hiding.test(element.getAttribute('data-own-style') ?? '')) elements.add(element)
  const rules = css.flatMap((one) => hidingRules(one))
  for (const rule of rules.slice(0, mostRules))
    for (const element of all.querySelectorAll(rule.selectorText)) elements.add(element)
  const outermost = [...elements].filter((one) => one.localName !== 'body' && !isWithin(one.parentElement, elements))
  const written = outermost.map((one) => one.outerHTML.replaceAll('data-own-style=', 'style='))
  return [...comments, ...written, ...(rules.length > mostRules ? css : [])]
}

function hidingRules(css: string): CSSStyleRule[] {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  const found: CSSStyleRule[] = []
  const look = (rules: CSSRuleList) => {
    for (const rule of rules) {
      if (rule instanceof CSSStyleRule && hiding.test(rule.style.cssText)) found.push(rule)
      if (rule instanceof CSSGroupingRule) look(rule.cssRules)
    }
  }
  look(sheet.cssRules)
  return found
}

function isWithin(element: Element | null, elements: ReadonlySet<Element>): boolean {
  for (let at = element; at !== null; at = at.parentElement) if (elements.has(at)) return true
  return false
}
