import purifier from 'dompurify'
import { liftStyles } from './lift-styles.ts'
import { StyleSheet } from './mail-styles.ts'
import { RemotePictures } from './picture-places.ts'

/** The sanitized HTML of a message, or of a part of it. */
export interface Sanitized extends Places {
  /** Without active elements and attributes, and without styles; only links name other hosts. */
  readonly body: HTMLElement
  /** The styles of its elements. */
  readonly css: string
  /** The Content-IDs of the message's own pictures that its `img` elements show. */
  readonly pictures: readonly string[]
}

/** The sanitized content of `style` elements. */
export interface Sheets extends Places {
  readonly sheets: string
  readonly selectors: number
}

interface Places {
  /** How many pictures are left out: they lie elsewhere. */
  readonly leftOut: number
  /** The addresses of those that can be seen, as in the HTML. */
  readonly remote: readonly string[]
}

type Pictures = ReadonlyMap<string, string>

const forbidden = [
  ...['form', 'input', 'button', 'select', 'option', 'optgroup', 'textarea', 'fieldset', 'datalist', 'output', 'label'],
  ...['audio', 'video', 'source', 'track', 'picture', 'dialog', 'template', 'slot', 'map', 'area', 'meter', 'progress'],
]

/** Values of attributes: addresses of these kinds, and texts that are no addresses. */
const harmless = /^(?:(?:https?|mailto|tel|cid|data):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i

/** Elements within each other. */
const deepest = 150

/** Columns or rows of a cell: each is laid out. */
const mostSpanned = 30

const linkable = /^(?:https?|mailto|tel):/i
const picture = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp);/i

/** The sanitized HTML of a whole message, with its styles. Pictures of the message, `own` by Content-ID, become `data:` URLs. */
export function sanitize(html: string, own: Pictures): Sanitized & Pick<Sheets, 'sheets'> {
  const lifted = liftStyles(html)
  return { ...sanitizeLifted(lifted.html, own, new Map()), sheets: sheetsOf(lifted.css, new Map()).sheets }
}

/** `style` elements, without what they load. */
export function sheetsOf(css: readonly string[], fetched: Pictures): Sheets {
  const remote = new RemotePictures(fetched)
  const styles = new StyleSheet(remote)
  for (const one of css) styles.add(one)
  return {
    sheets: styles.sheets(),
    selectors: styles.selectors,
    leftOut: remote.leftOut,
    remote: [...remote.addresses],
  }
}

/** Sanitizes untrusted HTML whose styles are lifted: removes what runs or loads, and targets of links other than pages and
 *  addresses. Addresses of pictures become `data:` URLs: of the message's `own` by Content-ID, of those `fetched` by address.
 *  The result is in its own document, without a window. */
export function sanitizeLifted(html: string, own: Pictures, fetched: Pictures): Sanitized {
  const root = purifier.sanitize(html, {
    USE_PROFILES: { html: true },
    FORBID_TAGS: [...forbidden, 'style'],
    ADD_ATTR: ['data-own-style'],
    FORBID_ATTR: [
      'style',
      'srcset',
      'ping',
      'action',
      'formaction',
      'poster',
      'nonce',
      'usemap',
      'autofocus',
      'tabindex',
      'popover',
    ],
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    WHOLE_DOCUMENT: true,
    RETURN_DOM: true,
    ALLOWED_URI_REGEXP: harmless,
    ADD_URI_SAFE_ATTR: ['data-own-style'],
  })
  if (!(root instanceof HTMLElement)) throw new Error('The sanitizer answered no element')
  const body = root.querySelector('body') ?? root
  const remote = new RemotePictures(fetched)
  const styles = new StyleSheet(remote)
  const pictures: string[] = []
  flatten(body)
  for (const element of [body, ...body.querySelectorAll<HTMLElement>('*')]) {
    for (const span of ['colspan', 'rowspan'])
      if (Number(element.getAttribute(span)) > mostSpanned) element.setAttribute(span, `${mostSpanned}`)
    if (element.localName === 'a') mendLink(element)
    if (element.localName === 'img') {
      const named = namedPicture(element)
      mendPicture(element, own, remote)
      if (named !== undefined && element.hasAttribute('src') && isSeen(element)) pictures.push(named)
    }
    mendBackground(element, remote)
    const style = element.getAttribute('data-own-style')
    if (style !== null) styles.move(element, style)
  }
  return { body, css: styles.ofElements(), pictures, leftOut: remote.leftOut, remote: [...remote.addresses] }
}

/** Deeper elements are moved up: a browser that lays out such nesting runs out of memory. */
function flatten(body: Element): void {
  const walker = body.ownerDocument.createTreeWalker(body, NodeFilter.SHOW_ELEMENT)
  let depth = 0
  const deep: Element[] = []
  for (;;) {
    if (walker.firstChild()) depth++
    else {
      while (!walker.nextSibling()) {
        if (!walker.parentNode() || walker.currentNode === body) {
          for (const element of deep) {
            while (element.firstChild) element.before(element.firstChild)
            element.remove()
          }
          return
        }
        depth--
      }
    }
    if (depth > deepest) deep.push(walker.currentNode as Element)
  }
}

/** A link opens in another tab, which learns nothing of this one. */
function mendLink(link: Element): void {
  const href = link.getAttribute('href')?.trim() ?? ''
  link.removeAttribute('name')
  if (!linkable.test(href)) {
    link.removeAttribute('href')
    return
  }
  link.setAttribute('target', '_blank')
  link.setAttribute('rel', 'noopener noreferrer nofollow')
  link.setAttribute('title', href)
}

/** A missing picture is replaced by its text. */
function mendPicture(image: Element, own: Pictures, remote: RemotePictures): void {
  const source = image.getAttribute('src')?.trim() ?? ''
  const named = namedPicture(image)
  image.removeAttribute('src')
  const shown = named === undefined ? inPlaceOf(image, source, remote) : own.get(named)
  if (shown !== undefined && picture.test(shown)) image.setAttribute('src', shown)
}

/** The Content-ID of the picture that an `img` names, if it names one of the message. */
export function namedPicture(image: Element): string | undefined {
  const source = image.getAttribute('src')?.trim() ?? ''
  return /^cid:/i.test(source) ? decoded(source.slice(4)) : undefined
}

function inPlaceOf(image: Element, source: string, remote: RemotePictures): string | undefined {
  if (source === '' || /^data:/i.test(source)) return source
  return isSeen(image) ? remote.take(source) : remote.leave()
}

/** Smaller ones only report to the sender that a message is read. */
const isSeen = (image: Element) =>
  !['width', 'height'].some((side) => Number.parseFloat(image.getAttribute(side) ?? '') <= 2) &&
  image.closest('[hidden]') === null

/** Turns the attribute into a style, which overrides sheets as any attribute does. */
function mendBackground(element: Element, remote: RemotePictures): void {
  const source = element.getAttribute('background')
  if (source === null) return
  element.removeAttribute('background')
  const shown = remote.take(source.trim())
  if (shown === undefined) return
  const style = element.getAttribute('data-own-style') ?? ''
  element.setAttribute('data-own-style', `background-image:url("${shown}");${style}`)
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
